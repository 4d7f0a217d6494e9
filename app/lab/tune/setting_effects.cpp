#include "lab/tune/setting_effects.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/portable_math.h"

namespace coslice {
namespace {

constexpr int kTurns = 8;
constexpr double kLeastPart = 0.05;  ///< of a setting's part of the others' costs: logarithms are of no less
constexpr double kUnknownVariance = 0.01;
constexpr double kLeastVariance = 1e-6;  ///< of one workload: a few that are all alike say that they are coarse

/// The costs of one setting, and how far they are above those of the workloads, as a part of these.
struct SettingCosts {
  std::size_t setting = 0;
  std::vector<double> costs;
  double above = 0;
};

double size_of(const std::vector<double>& workloads, std::size_t count) {
  double sum = 0;
  for (std::size_t w = 0; w != count; ++w) sum += std::abs(workloads[w]);
  return std::max(sum, 1e-9);
}

void find_above(std::vector<SettingCosts>& rows, const std::vector<double>& workloads) {
  for (SettingCosts& r : rows) {
    double more = 0;
    for (std::size_t w = 0; w != r.costs.size(); ++w) more += r.costs[w] - workloads[w];
    r.above = more / size_of(workloads, r.costs.size());
  }
}

void find_workloads(const std::vector<SettingCosts>& rows, std::vector<double>& workloads) {
  for (std::size_t w = 0; w != workloads.size(); ++w) {
    double sum = 0, parts = 0;
    for (const SettingCosts& r : rows) {
      if (r.costs.size() <= w) continue;
      sum += r.costs[w];
      parts += std::max(1 + (workloads[w] < 0 ? -r.above : r.above), kLeastPart);
    }
    if (parts > 0) workloads[w] = sum / parts;
  }
}

/// Of one workload whose cost is that of the mean: what is left, over all settings.
double variance_left(const std::vector<SettingCosts>& rows, const std::vector<double>& workloads) {
  double left = 0, size = 0;
  for (const SettingCosts& r : rows) {
    const auto n = static_cast<double>(r.costs.size());
    if (n < 2) continue;
    const double part = std::max(1 + r.above, kLeastPart);
    for (std::size_t w = 0; w != r.costs.size(); ++w) {
      const double d = (r.costs[w] - workloads[w] - r.above * std::abs(workloads[w])) / part;
      left += d * d;
      size += workloads[w] * workloads[w] * (n - 1) / n;
    }
  }
  if (workloads.size() == 1) return kLeastVariance;  // there are no others that could say something else
  return size > 0 ? std::max(left / size, kLeastVariance) : kUnknownVariance;
}

}  // namespace

std::vector<SettingEffect> setting_effects(const std::vector<std::size_t>& settings, const Trials& trials) {
  std::vector<SettingCosts> rows;
  std::vector<double> workloads;
  for (const std::size_t s : settings) {
    SettingCosts r;
    r.setting = s;
    bool failed = false;
    for (std::size_t w = 0; w != trials.workloads_of(s); ++w) {
      r.costs.push_back(trials.cost(s, w));
      failed = failed || !std::isfinite(r.costs.back());
    }
    if (!failed && !r.costs.empty()) rows.push_back(std::move(r));
  }
  for (const SettingCosts& r : rows)
    for (std::size_t w = workloads.size(); w < r.costs.size(); ++w) workloads.push_back(trials.cost(0, w));
  for (int turn = 0; turn != kTurns; ++turn) {
    find_above(rows, workloads);
    find_workloads(rows, workloads);
  }
  find_above(rows, workloads);
  const double left = variance_left(rows, workloads);
  std::vector<SettingEffect> out;
  for (const SettingCosts& r : rows) {
    double squares = 0;
    for (std::size_t w = 0; w != r.costs.size(); ++w) squares += workloads[w] * workloads[w];
    const double size = size_of(workloads, r.costs.size());
    out.push_back({r.setting, portable_log(std::max(1 + r.above, kLeastPart)), left * squares / (size * size)});
  }
  return out;
}

}  // namespace coslice

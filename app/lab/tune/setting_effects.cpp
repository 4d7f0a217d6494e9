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

/// The costs of one setting by workload, and how far they are above those of the workloads, as a part of these.
struct SettingCosts {
  std::size_t setting = 0;
  std::vector<std::pair<std::size_t, double>> costs;
  double above = 0;
};

/// Costs of workloads; of those that nothing ran on it is never asked.
using WorkloadCosts = std::vector<double>;

double size_of(const SettingCosts& row, const WorkloadCosts& workloads) {
  double sum = 0;
  for (const auto& [w, cost] : row.costs) sum += std::abs(workloads[w]);
  return std::max(sum, 1e-9);
}

void find_above(std::vector<SettingCosts>& rows, const WorkloadCosts& workloads) {
  for (SettingCosts& r : rows) {
    double more = 0;
    for (const auto& [w, cost] : r.costs) more += cost - workloads[w];
    r.above = more / size_of(r, workloads);
  }
}

void find_workloads(const std::vector<SettingCosts>& rows, WorkloadCosts& workloads) {
  std::vector<double> sums(workloads.size()), parts(workloads.size());
  for (const SettingCosts& r : rows)
    for (const auto& [w, cost] : r.costs) {
      sums[w] += cost;
      parts[w] += std::max(1 + (workloads[w] < 0 ? -r.above : r.above), kLeastPart);
    }
  for (std::size_t w = 0; w != workloads.size(); ++w)
    if (parts[w] > 0) workloads[w] = sums[w] / parts[w];
}

/// Of one workload whose cost is that of the mean: what is left, over all settings.
double variance_left(const std::vector<SettingCosts>& rows, const WorkloadCosts& workloads) {
  double left = 0, size = 0;
  for (const SettingCosts& r : rows) {
    const auto n = static_cast<double>(r.costs.size());
    if (n < 2) continue;
    const double part = std::max(1 + r.above, kLeastPart);
    for (const auto& [w, cost] : r.costs) {
      const double d = (cost - workloads[w] - r.above * std::abs(workloads[w])) / part;
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
  WorkloadCosts workloads;
  for (const std::size_t s : settings) {
    SettingCosts r;
    r.setting = s;
    bool failed = false;
    for (const std::size_t w : trials.workloads_of(s)) {
      r.costs.emplace_back(w, trials.cost(s, w));
      failed = failed || !std::isfinite(r.costs.back().second);
      for (std::size_t fresh = workloads.size(); fresh <= w; ++fresh) workloads.push_back(trials.cost(0, fresh));
    }
    if (!failed && !r.costs.empty()) rows.push_back(std::move(r));
  }
  for (int turn = 0; turn != kTurns; ++turn) {
    find_above(rows, workloads);
    find_workloads(rows, workloads);
  }
  find_above(rows, workloads);
  const double left = variance_left(rows, workloads);
  std::vector<SettingEffect> out;
  for (const SettingCosts& r : rows) {
    double squares = 0;
    for (const auto& [w, cost] : r.costs) squares += workloads[w] * workloads[w];
    const double size = size_of(r, workloads);
    out.push_back({r.setting, portable_log(std::max(1 + r.above, kLeastPart)), left * squares / (size * size)});
  }
  return out;
}

}  // namespace coslice

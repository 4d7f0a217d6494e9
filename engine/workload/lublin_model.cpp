#include "workload/lublin_model.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "core/error.h"
#include "core/portable_math.h"

namespace coslice {

namespace {

constexpr LublinParameters kTypeless{0.244, 0.576,   0.8,  4.5,     7,      0.86,   4.2,    0.94,  312,
                                     0.03,  -0.0054, 0.78, 10.2303, 0.4871, 8.1737, 3.9631, 1.0225};
constexpr LublinParameters kBatch{0.2927, 0.6686, 1.2,    5,      7,      0.875,  6.57,   0.823, 639.1,
                                  0.0156, -0.003, 0.6986, 6.0415, 0.8531, 6.1271, 5.2740, 1.0519};
constexpr LublinParameters kInteractive{0.1541, 0.625,   1,      3,      5.5,    0.705,  3.8351, 0.6605, 7.073,
                                        0.6856, -0.0118, 0.9156, 6.5510, 0.6621, 8.9186, 3.6680, 0.9797};
constexpr double kFittedAt = 7;  // log2 of the machine of the parameters above

LublinParameters fit_to_machine(LublinParameters p, int nodes) {
  const double shift = portable_log2(nodes) - kFittedAt;
  p.uhi = std::max(0.0, p.uhi + shift);
  p.ulow = std::min(p.ulow, p.uhi);
  p.umed = std::max(p.ulow, p.umed + shift);
  return p;
}

double class_load(const LublinParameters& p, int nodes, double work) {
  return work / (nodes * lublin::mean_gap(p, p.arrival_shape()));
}

/// The CDF of a uniform variate on [low, high], which may be a point.
double uniform_cdf(double x, double low, double high) {
  if (x < low) return 0;
  return x >= high ? 1 : (x - low) / (high - low);
}

/// E[e^g; g <= c] for g ~ Gamma(a, b), b < 1.
double exponential_moment(double a, double b, double c) {
  return portable_pow(1 - b, -a) * portable_gamma_p(a, c * (1 - b) / b);
}

// Below the first, gaps are about a second; above the second, hardly a draw of a gap is short enough.
constexpr double kLeastShape = 0.05, kLargestShape = 40;

/// The shape of the gap's gamma that gives the mean gap.
double shape_for_gap(const LublinParameters& p, double gap) {
  double low = kLeastShape, high = kLargestShape;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (lublin::mean_gap(p, middle) < gap ? low : high) = middle;
  }
  return low;
}

}  // namespace

namespace lublin {

std::array<double, kBuckets> daily_weights(const LublinParameters& p) {
  // The cycle starts with the half hour of 5:00: the authors' constant 11 counts half hours.
  constexpr int kCycleStart = 11;
  std::array<double, kBuckets> weight{};
  double sum = 0;
  for (int i = kCycleStart; i < kCycleStart + kBuckets; ++i) {
    const double share = portable_gamma_p(p.anum, (i + 0.5) / p.bnum) - portable_gamma_p(p.anum, (i - 0.5) / p.bnum);
    weight[static_cast<std::size_t>((i - 1) % kBuckets)] = share;
    sum += share;
  }
  for (double& w : weight) w /= sum / kBuckets;
  return weight;
}

int largest_exponent(int nodes) {
  int k = 0;
  while (nodes >> (k + 1) > 0) ++k;
  return k;
}

std::vector<double> size_distribution(const LublinParameters& p, int nodes) {
  const auto cdf = [&p](double x) {
    return p.uprob * uniform_cdf(x, p.ulow, p.umed) + (1 - p.uprob) * uniform_cdf(x, p.umed, p.uhi);
  };
  std::vector<double> share(static_cast<std::size_t>(nodes) + 1, 0.0);
  const double other = 1 - p.serial - p.pow2;
  double below = 0;
  for (int n = 1; n <= nodes; ++n) {
    const double upto = n == nodes ? 1 : cdf(portable_log2(n + 0.5));
    share[static_cast<std::size_t>(n)] = other * (upto - below);
    below = upto;
  }
  below = 0;
  const int top = largest_exponent(nodes);
  for (int k = 0; k <= top; ++k) {
    const double upto = k == top ? 1 : cdf(k + 0.5);
    share[std::size_t{1} << k] += p.pow2 * (upto - below);
    below = upto;
  }
  share[1] += p.serial;
  return share;
}

double first_gamma_share(const LublinParameters& p, int size) { return std::clamp(p.pa * size + p.pb, 0.0, 1.0); }

namespace {

/// Shares and moments of both gammas below the longest run time.
struct RuntimeMoments {
  double share1, share2, mean1, mean2;

  explicit RuntimeMoments(const LublinParameters& p)
      : share1(portable_gamma_p(p.a1, kLongestLogRuntime / p.b1)),
        share2(portable_gamma_p(p.a2, kLongestLogRuntime / p.b2)),
        mean1(exponential_moment(p.a1, p.b1, kLongestLogRuntime)),
        mean2(exponential_moment(p.a2, p.b2, kLongestLogRuntime)) {}

  double mean(double q) const { return (q * mean1 + (1 - q) * mean2) / (q * share1 + (1 - q) * share2); }
};

}  // namespace

double mean_runtime(const LublinParameters& p, int size) { return RuntimeMoments(p).mean(first_gamma_share(p, size)); }

double mean_gap(const LublinParameters& p, double shape) {
  return exponential_moment(shape, p.barr, kLongestLogGap) / portable_gamma_p(shape, kLongestLogGap / p.barr);
}

double mean_work(const LublinParameters& p, int nodes) {
  const std::vector<double> share = size_distribution(p, nodes);
  const RuntimeMoments moments(p);
  double work = 0;
  for (int n = 1; n <= nodes; ++n)
    work += share[static_cast<std::size_t>(n)] * n * moments.mean(first_gamma_share(p, n));
  return work;
}

}  // namespace lublin

LublinModel lublin_model(int nodes, bool types) {
  if (!types) return {nodes, false, {fit_to_machine(kTypeless, nodes), fit_to_machine(kTypeless, nodes)}};
  return {nodes, true, {fit_to_machine(kInteractive, nodes), fit_to_machine(kBatch, nodes)}};
}

double lublin_load(const LublinModel& model) {
  double load = 0;
  for (int c = 0; c <= (model.types ? 1 : 0); ++c) {
    const auto& p = model.classes[static_cast<std::size_t>(c)];
    load += class_load(p, model.nodes, lublin::mean_work(p, model.nodes));
  }
  return load;
}

void set_lublin_load(LublinModel& model, double load) {
  const double now = lublin_load(model);
  double least = 0, most = 1e300;
  for (const auto& p : model.classes) {
    const double gap = lublin::mean_gap(p, p.arrival_shape());
    least = std::max(least, now * gap / lublin::mean_gap(p, kLargestShape));
    most = std::min(most, now * gap / lublin::mean_gap(p, kLeastShape));
  }
  if (!(load >= least && load <= most))
    throw InputError({"", 0, fmt::format("the model cannot give a load of {} on {} nodes", load, model.nodes),
                      fmt::format("{:.3g} to {:.3g}", least, most), "", ""});
  for (auto& p : model.classes) p.aarr = shape_for_gap(p, lublin::mean_gap(p, p.arrival_shape()) * now / load) / p.arar;
}

}  // namespace coslice

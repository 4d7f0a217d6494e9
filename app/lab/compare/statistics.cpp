#include "lab/compare/statistics.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include <fmt/format.h>

namespace coslice {
namespace {

Interval around(double middle, double half) { return {middle - half, middle + half}; }

/// Of a value with the next one; 0 where they are all the same.
double correlation_of_neighbours(const std::vector<double>& values) {
  const double m = mean(values);
  double squares = 0, products = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += (values[i] - m) * (values[i] - m);
    if (i + 1 < values.size()) products += (values[i] - m) * (values[i + 1] - m);
  }
  return squares > 0 ? products / squares : 0;
}

std::optional<Interval> student_interval(const std::vector<double>& values, double level, double widened = 1) {
  if (values.size() < 2) return {};
  const auto n = static_cast<double>(values.size());
  return around(mean(values), widened * student_quantile(level, n - 1) * deviation(values) / std::sqrt(n));
}

/// By how much the interval of the mean of a series is wider than if its values were independent, each depending on the
/// one before alone.
double widened_by(double correlation) {
  const double r = std::clamp(correlation, 0.0, 0.9);
  return std::sqrt((1 + r) / (1 - r));
}

/// So many equal differences of either sign come by chance in less than one of 20 cases: 2 x 0.5^6 = 0.03.
constexpr std::size_t kFewestAlike = 6;

}  // namespace

const char* unit_names(Unit unit) {
  switch (unit) {
    case Unit::kPhase: return "phases";
    case Unit::kWindow: return "windows";
    case Unit::kBatch: return "batches";
    case Unit::kDraw: return "draws";
    case Unit::kInstant: return "instants";
    case Unit::kSeed: break;
  }
  return "seeds";
}

std::string counted_units(std::size_t n, Unit unit) {
  std::string name = unit_names(unit);
  if (n == 1) name = unit == Unit::kBatch ? "batch" : name.substr(0, name.size() - 1);
  return fmt::format("{} {}", n, name);
}

void Sample::add(std::int64_t unit, double value) {
  Sum& sum = sums_[unit];
  sum.total += value;
  ++sum.count;
  ++values_;
}

std::vector<double> Sample::means() const {
  std::vector<double> out;
  for (const auto& [unit, sum] : sums_) out.push_back(sum.total / static_cast<double>(sum.count));
  return out;
}

Estimate Sample::estimate(double level) const { return estimate_of(means(), unit_, level); }

Estimate estimate_of(const std::vector<double>& one_each, Unit unit, double level) {
  const double widened = unit == Unit::kInstant ? widened_by(correlation_of_neighbours(one_each)) : 1;
  return {mean(one_each), student_interval(one_each, level, widened), unit, one_each.size()};
}

Estimate difference_of(const std::vector<double>& one_each, Unit unit, double level) {
  Estimate out = estimate_of(one_each, unit, level);
  const double rounding = 1e-9 * std::abs(out.mean);
  if (out.mean != 0 && deviation(one_each) <= rounding && one_each.size() < kFewestAlike) out.interval.reset();
  return out;
}

double mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  double sum = 0;
  for (double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double m = mean(values);
  double squares = 0;
  for (double v : values) squares += (v - m) * (v - m);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double student_quantile(double level, double freedom) {
  // Not by long double, which is another type on each processor.
  using Doubles = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  return boost::math::quantile(boost::math::students_t_distribution<double, Doubles>(freedom), (1 + level) / 2);
}

std::optional<std::int64_t> values_needed(const std::vector<double>& values, double level, std::int64_t most) {
  if (values.size() < 2) return {};
  const double distance = std::abs(mean(values)), spread = deviation(values);
  const auto enough = [&](std::int64_t n) {
    return student_quantile(level, static_cast<double>(n - 1)) * spread / std::sqrt(static_cast<double>(n)) < distance;
  };
  std::int64_t few = std::ssize(values), many = most;
  if (few > many || !enough(many)) return {};
  while (few < many) {
    const std::int64_t middle = few + (many - few) / 2;
    if (enough(middle)) many = middle;
    else few = middle + 1;
  }
  return many;
}

std::optional<Interval> difference_interval(const std::vector<double>& a, const std::vector<double>& b, double level) {
  if (a.size() < 2 || b.size() < 2) return {};
  const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  const double va = deviation(a) * deviation(a) / n, vb = deviation(b) * deviation(b) / m;
  const double difference = mean(b) - mean(a);
  if (va + vb == 0) return around(difference, 0);
  const double freedom = (va + vb) * (va + vb) / (va * va / (n - 1) + vb * vb / (m - 1));
  return around(difference, student_quantile(level, freedom) * std::sqrt(va + vb));
}

BatchMeans batch_means(const std::vector<double>& series, double level) {
  constexpr std::size_t kBatches = 20;
  BatchMeans out;
  if (series.size() < kFewestInBatches) return out;
  const std::size_t batches = std::min(kBatches, series.size() / kShortestBatch);
  out.batches = batches;
  std::vector<double> means;
  for (std::size_t b = 0; b < batches; ++b) {
    const std::size_t from = series.size() * b / batches, to = series.size() * (b + 1) / batches;
    means.push_back(
        mean({series.begin() + static_cast<std::ptrdiff_t>(from), series.begin() + static_cast<std::ptrdiff_t>(to)}));
  }
  out.correlation = correlation_of_neighbours(means);
  const Interval of_means = *student_interval(means, level, widened_by(out.correlation));
  out.interval = around(mean(series), (of_means.high - of_means.low) / 2);
  return out;
}

}  // namespace coslice

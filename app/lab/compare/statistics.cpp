#include "lab/compare/statistics.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

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

}  // namespace

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

std::optional<Interval> confidence_interval(const std::vector<double>& values, double level) {
  if (values.size() < 2) return {};
  const auto n = static_cast<double>(values.size());
  return around(mean(values), student_quantile(level, n - 1) * deviation(values) / std::sqrt(n));
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
  const double r = std::clamp(out.correlation, 0.0, 0.9), n = static_cast<double>(batches);
  const double half = student_quantile(level, n - 1) * deviation(means) / std::sqrt(n) * std::sqrt((1 + r) / (1 - r));
  out.interval = around(mean(series), half);
  return out;
}

}  // namespace coslice

#include "lab/statistics.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace coslice {

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

std::optional<Interval> confidence_interval(const std::vector<double>& values, double level) {
  if (values.size() < 2) return {};
  const auto n = static_cast<double>(values.size());
  const double t = boost::math::quantile(boost::math::students_t(n - 1), (1 + level) / 2);
  const double half = t * deviation(values) / std::sqrt(n);
  return Interval{mean(values) - half, mean(values) + half};
}

}  // namespace coslice

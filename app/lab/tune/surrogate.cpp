#include "lab/tune/surrogate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/portable_math.h"

namespace coslice {
namespace {

constexpr double kReaches[] = {0.25, 0.6, 1.5};
constexpr double kSpreads[] = {0.02, 0.06, 0.2, 0.6};
constexpr double kUsualReach = 0.6;
constexpr double kSqrt5 = 2.23606797749979;

std::size_t triangle_row(std::size_t i) { return i * (i + 1) / 2; }

/// Cholesky's factor of a symmetric matrix, in its place, row by row; false where there is none.
bool factorize(std::vector<double>& m, std::size_t n) {
  for (std::size_t i = 0; i != n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = m[triangle_row(i) + j];
      for (std::size_t k = 0; k != j; ++k) sum -= m[triangle_row(i) + k] * m[triangle_row(j) + k];
      if (i == j && !(sum > 0)) return false;
      m[triangle_row(i) + j] = i == j ? std::sqrt(sum) : sum / m[triangle_row(j) + j];
    }
  }
  return true;
}

/// Solves L x = b.
std::vector<double> solved(const std::vector<double>& factor, std::vector<double> b) {
  for (std::size_t i = 0; i != b.size(); ++i) {
    for (std::size_t k = 0; k != i; ++k) b[i] -= factor[triangle_row(i) + k] * b[k];
    b[i] /= factor[triangle_row(i) + i];
  }
  return b;
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i != a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Matern's, of smoothness 5/2.
double likeness_at(double distance) {
  const double s = kSqrt5 * distance;
  return (1 + s + s * s / 3) * portable_exp(-s);
}

}  // namespace

Surrogate::Surrogate(std::vector<bool> ordered, std::vector<SeenPlace> seen)
    : ordered_(std::move(ordered)), seen_(std::move(seen)), reach_(ordered_.size(), kUsualReach) {
  choose_reaches();
}

double Surrogate::likeness(const std::vector<double>& a, const std::vector<double>& b) const {
  double sum = 0;
  for (std::size_t p = 0; p != ordered_.size(); ++p) {
    const double d = (ordered_[p] ? a[p] - b[p] : a[p] == b[p] ? 0.0 : 1.0) / reach_[p];
    sum += d * d;
  }
  return likeness_at(std::sqrt(sum));
}

/// Takes these reaches and this spread; `likelihood` is the logarithm of what they make of the values.
bool Surrogate::fit(const std::vector<double>& reaches, double spread, double& likelihood) {
  const std::size_t n = seen_.size();
  reach_ = reaches;
  spread_ = spread;
  factor_.resize(triangle_row(n));
  for (std::size_t i = 0; i != n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      factor_[triangle_row(i) + j] =
          spread * spread * likeness(seen_[i].place, seen_[j].place) + (i == j ? seen_[i].variance + 1e-6 : 0);
  if (!factorize(factor_, n)) return false;
  std::vector<double> values;
  for (const SeenPlace& s : seen_) values.push_back(s.value);
  const std::vector<double> ones = solved(factor_, std::vector<double>(n, 1.0));
  weights_ = solved(factor_, values);
  mean_ = product(ones, weights_) / product(ones, ones);
  for (std::size_t i = 0; i != n; ++i) weights_[i] -= mean_ * ones[i];
  likelihood = -0.5 * product(weights_, weights_);
  for (std::size_t i = 0; i != n; ++i) likelihood -= portable_log(factor_[triangle_row(i) + i]);
  for (const double r : reaches) {
    const double off = portable_log(r / kUsualReach);
    likelihood -= 0.5 * off * off;
  }
  return true;
}

/// One parameter after the other: of all combinations there are too many.
void Surrogate::choose_reaches() {
  double best = -std::numeric_limits<double>::infinity(), best_spread = kSpreads[0];
  std::vector<double> best_reaches = reach_;
  const auto consider = [&](const std::vector<double>& reaches) {
    for (const double spread : kSpreads) {
      double likelihood = 0;
      if (!fit(reaches, spread, likelihood) || !(likelihood > best)) continue;
      best = likelihood, best_spread = spread, best_reaches = reaches;
    }
  };
  for (const double r : kReaches) consider(std::vector<double>(ordered_.size(), r));
  for (std::size_t p = 0; ordered_.size() > 1 && p != ordered_.size(); ++p) {
    const std::vector<double> before = best_reaches;
    for (const double r : kReaches) {
      std::vector<double> other = before;
      other[p] = r;
      if (other != before) consider(other);
    }
  }
  double ignored = 0;
  fit(best_reaches, best_spread, ignored);
}

CostGuess Surrogate::at(const std::vector<double>& place) const {
  std::vector<double> common;
  for (const SeenPlace& s : seen_) common.push_back(spread_ * spread_ * likeness(place, s.place));
  common = solved(factor_, std::move(common));
  const double variance = spread_ * spread_ - product(common, common);
  return {mean_ + product(common, weights_), std::sqrt(std::max(variance, 1e-12))};
}

double Surrogate::expected_improvement(const std::vector<double>& place, double value) const {
  const CostGuess g = at(place);
  const double z = (value - g.mean) / g.deviation;
  // The normal distribution, near enough by the logistic one; it is to be the same on all machines.
  const double below = 1 / (1 + portable_exp(std::clamp(-1.702 * z, -500.0, 500.0)));
  return g.deviation * (z * below + 0.3989422804014327 * portable_exp(std::max(-z * z / 2, -500.0)));
}

}  // namespace coslice

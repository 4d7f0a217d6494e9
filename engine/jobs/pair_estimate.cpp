#include "jobs/pair_estimate.h"

#include <algorithm>
#include <cmath>

#include "core/value.h"

namespace coslice {
namespace {

/// A row of the regression: few of the unknowns count in it.
struct SparseRow {
  std::vector<std::pair<std::size_t, double>> at;
  double value = 0;
};

/// The normal equations, with ridge on all unknowns.
std::vector<double> ridge_regression(const std::vector<SparseRow>& rows, std::size_t unknowns, double ridge) {
  std::vector<double> a(unknowns * unknowns), b(unknowns);
  for (const SparseRow& row : rows)
    for (const auto& [i, x] : row.at) {
      b[i] += x * row.value;
      for (const auto& [k, y] : row.at)
        if (k <= i) a[i * unknowns + k] += x * y;
    }
  for (std::size_t i = 0; i != unknowns; ++i) a[i * unknowns + i] += ridge;
  solve_symmetric(a, b);
  return b;
}

/// Each column with mean 0 and variance 1 over the rows that have one; a column that is the same everywhere is 0.
void standardize(std::vector<std::vector<double>>& profiles) {
  std::size_t columns = 0;
  for (const auto& p : profiles) columns = std::max(columns, p.size());
  for (std::size_t f = 0; f != columns; ++f) {
    double sum = 0, squares = 0;
    std::size_t count = 0;
    for (const auto& p : profiles)
      if (!p.empty()) sum += p[f], ++count;
    const double mean = sum / static_cast<double>(count);
    for (const auto& p : profiles)
      if (!p.empty()) squares += (p[f] - mean) * (p[f] - mean);
    const double deviation = std::sqrt(squares / static_cast<double>(count));
    for (auto& p : profiles)
      if (!p.empty()) p[f] = deviation > 0 ? (p[f] - mean) / deviation : 0;
  }
}

/// 1 over the root mean square; 1 where all are 0.
double scale_of(const std::vector<double>& effects) {
  double squares = 0;
  for (const double e : effects) squares += e * e;
  return squares > 0 ? std::sqrt(static_cast<double>(effects.size()) / squares) : 1;
}

/// Both directions of each pair that could run together.
template <class Take>
void each_speed(const std::vector<PairSpeed>& pairs, Take take) {
  for (const PairSpeed& p : pairs) {
    if (p.speed_a > 0) take(p.a, p.b, p.speed_a);
    if (p.speed_b > 0) take(p.b, p.a, p.speed_b);
  }
}

}  // namespace

void solve_symmetric(std::vector<double>& a, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i != n; ++i) {  // Cholesky: a = l l'
    double* const row = a.data() + i * n;
    for (std::size_t k = 0; k <= i; ++k) {
      const double* const other = a.data() + k * n;
      double sum = row[k];
      for (std::size_t m = 0; m != k; ++m) sum -= row[m] * other[m];
      row[k] = k == i ? std::sqrt(sum) : sum / other[k];
    }
  }
  for (std::size_t i = 0; i != n; ++i) {
    for (std::size_t k = 0; k != i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- != 0;) {
    for (std::size_t k = i + 1; k != n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
}

PairEstimate::PairEstimate(const std::vector<PairSpeed>& pairs, const std::vector<std::vector<double>>& profiles,
                           double ridge)
    : profiles_(profiles) {
  std::size_t configurations = profiles.size();
  for (const PairSpeed& p : pairs) configurations = std::max<std::size_t>({configurations, p.a + 1, p.b + 1});
  own_.resize(configurations);
  partner_.resize(configurations);
  basis_.assign(configurations, Basis::kMean);
  standardize(profiles_);
  profiles_.resize(configurations);
  for (const auto& p : profiles_) features_ = std::max(features_, p.size());
  fit_effects(pairs, ridge);
  fit_products(pairs, ridge);
}

/// Unknowns: own and partner effect of each configuration, then of each number in a profile.
void PairEstimate::fit_effects(const std::vector<PairSpeed>& pairs, double ridge) {
  const std::size_t n = own_.size();
  std::vector<SparseRow> rows;
  each_speed(pairs, [&](std::uint32_t a, std::uint32_t b, double speed) {
    SparseRow row{{{a, 1}, {n + b, 1}}, speed};
    for (std::size_t f = 0; f != profiles_[a].size(); ++f) row.at.emplace_back(2 * n + f, profiles_[a][f]);
    for (std::size_t f = 0; f != profiles_[b].size(); ++f) row.at.emplace_back(2 * n + features_ + f, profiles_[b][f]);
    rows.push_back(std::move(row));
    basis_[a] = basis_[b] = Basis::kPairs;
  });
  if (rows.empty()) fail_at({}, "there is no pair whose speeds were measured", "at least one");
  double sum = 0;
  for (const SparseRow& row : rows) sum += row.value;
  mean_ = sum / static_cast<double>(rows.size());
  for (SparseRow& row : rows) row.value -= mean_;
  const std::vector<double> x = ridge_regression(rows, 2 * (n + features_), ridge);
  for (std::size_t c = 0; c != n; ++c) {
    own_[c] = x[c];
    partner_[c] = x[n + c];
    for (std::size_t f = 0; f != profiles_[c].size(); ++f) {
      own_[c] += x[2 * n + f] * profiles_[c][f];
      partner_[c] += x[2 * n + features_ + f] * profiles_[c][f];
    }
    if (basis_[c] == Basis::kMean && !profiles_[c].empty()) basis_[c] = Basis::kProfile;
  }
}

void PairEstimate::fit_products(const std::vector<PairSpeed>& pairs, double ridge) {
  scale_own_ = scale_of(own_);
  scale_partner_ = scale_of(partner_);
  std::vector<SparseRow> rows;
  std::size_t unknowns = 0;
  each_speed(pairs, [&](std::uint32_t a, std::uint32_t b, double speed) {
    SparseRow row{{}, speed - additive(a, b)};
    const std::vector<double> all = products(a, b);
    unknowns = all.size();
    for (std::size_t i = 0; i != all.size(); ++i) row.at.emplace_back(i, all[i]);
    rows.push_back(std::move(row));
  });
  of_products_ = ridge_regression(rows, unknowns, ridge);
}

double PairEstimate::additive(std::uint32_t a, std::uint32_t b) const {
  return mean_ + (a < own_.size() ? own_[a] : 0) + (b < partner_.size() ? partner_[b] : 0);
}

std::vector<double> PairEstimate::products(std::uint32_t a, std::uint32_t b) const {
  std::vector<double> all(4 + features_ * features_);
  const std::size_t n = own_.size();
  if (a >= n || b >= n) return all;
  const double own_a = own_[a] * scale_own_, own_b = own_[b] * scale_own_;
  const double partner_a = partner_[a] * scale_partner_, partner_b = partner_[b] * scale_partner_;
  all[0] = own_a * partner_b;
  all[1] = own_a * own_b;
  all[2] = partner_a * partner_b;
  all[3] = partner_a * own_b;
  if (!profiles_[a].empty() && !profiles_[b].empty())
    for (std::size_t i = 0; i != features_; ++i)
      for (std::size_t k = 0; k != features_; ++k) all[4 + i * features_ + k] = profiles_[a][i] * profiles_[b][k];
  return all;
}

double PairEstimate::speed(std::uint32_t a, std::uint32_t b) const {
  double speed = additive(a, b);
  const std::vector<double> all = products(a, b);
  for (std::size_t i = 0; i != all.size(); ++i) speed += of_products_[i] * all[i];
  return std::max(speed, kLeast);
}

PairEstimate::Basis PairEstimate::basis(std::uint32_t a, std::uint32_t b) const {
  return std::max(basis_of(a), basis_of(b));
}

KnownPairs::KnownPairs(const std::vector<PairSpeed>& pairs) {
  for (const PairSpeed& p : pairs) pairs_.emplace(std::make_pair(p.a, p.b), p);
}

std::optional<PairSpeed> KnownPairs::find(std::uint32_t a, std::uint32_t b) const {
  if (const auto at = pairs_.find({a, b}); at != pairs_.end()) return at->second;
  if (const auto at = pairs_.find({b, a}); at != pairs_.end())
    return PairSpeed{a, b, at->second.speed_b, at->second.speed_a};
  return std::nullopt;
}

}  // namespace coslice

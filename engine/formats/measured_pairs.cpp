#include "formats/measured_pairs.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.h"
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

namespace {

constexpr double kMostSpeed = 100, kMostRate = 1e12;

std::optional<double> number_of(std::string_view text) {
  const auto value = parse_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

bool all_numbers(const CsvTable& table, std::size_t column) {
  for (std::size_t row = 0; row != table.rows(); ++row)
    if (!number_of(table.cell(row, column))) return false;
  return true;
}

bool chosen(const CsvTable& table, std::size_t row, const std::map<std::string, std::string>& where) {
  return std::ranges::all_of(where, [&](const auto& w) { return table.cell(row, table.column(w.first)) == w.second; });
}

/// Columns of single configurations that are numbers of theirs: neither their names nor what rows are chosen by.
std::vector<std::size_t> profile_of_single(const CsvTable& table, const PairColumns& columns) {
  std::vector<std::size_t> found;
  for (std::size_t c = 0; c != table.names().size(); ++c) {
    const std::string name(table.names()[c]);
    if (name != columns.rate && name != columns.gpu && columns.where.count(name) == 0 && all_numbers(table, c))
      found.push_back(c);
  }
  return found;
}

void check_not_twice(std::map<std::pair<std::uint32_t, std::uint32_t>, int>& seen, const CsvTable& table,
                     std::size_t row, std::uint32_t a, std::uint32_t b) {
  const auto [at, fresh] = seen.emplace(std::minmax(a, b), table.line(row));
  if (!fresh) table.fail(row, fmt::format("the pair is in line {}, too", at->second), "each pair once");
}

}  // namespace

double real_in(const CsvTable& table, std::size_t row, std::size_t column, double low, double high) {
  const std::optional<double> value = number_of(table.cell(row, column));
  if (!value || *value < low || *value > high)
    table.fail(row, fmt::format("{} is '{}'", table.names()[column], printable(table.cell(row, column))),
               fmt::format("a number from {} to {}", low, high));
  return *value;
}

std::vector<std::string> pair_columns(const CsvTable& table, const std::vector<std::string>& said,
                                      const std::string& speed) {
  std::vector<std::string> found = said;
  if (said.empty()) {
    for (const std::string_view name : table.names()) {
      if (name.size() < 3 || name.substr(name.size() - 2) != "_a") continue;
      const std::string plain(name.substr(0, name.size() - 2));
      if (plain != speed && table.find(plain + "_b")) found.push_back(plain);
    }
  }
  if (found.empty()) (void)table.column("model_a");  // as good as any: none has an _a and a _b
  for (const std::string& name : found) {
    (void)table.column(name + "_a");
    (void)table.column(name + "_b");
  }
  return found;
}

std::string configuration_in(const CsvTable& table, std::size_t row, const std::vector<std::string>& columns,
                             const std::string& side) {
  if (columns.size() == 1) return std::string(table.cell(row, table.column(columns.front() + side)));
  std::string name;
  for (const std::string& column : columns) {
    if (&column != &columns.front()) name += '/';
    for (const char c : table.cell(row, table.column(column + side))) {
      if (c == '/' || c == '\\') name += '\\';  // so that a/1, 2 and a, 1/2 have different names
      name += c;
    }
  }
  return name;
}

MeasuredPairs::MeasuredPairs(const std::string& pairs, const std::string& single, const PairColumns& columns) {
  const CsvTable of_pairs(pairs, "a table of pairs");
  configuration_ = pair_columns(of_pairs, columns.configuration, columns.speed);
  if (!single.empty()) read_single(single, columns);
  read_pairs(of_pairs, pairs, columns);
  complete_gpus(pairs);
}

std::uint32_t MeasuredPairs::intern(const std::string& configuration) {
  const auto [at, fresh] = numbers_.emplace(configuration, static_cast<std::uint32_t>(names_.size()));
  if (fresh) names_.push_back(configuration);
  return at->second;
}

GpuMeasurements& MeasuredPairs::of_gpu(const std::string& gpu) {
  for (GpuMeasurements& g : gpus_)
    if (g.gpu == gpu) return g;
  gpus_.push_back({gpu, {}, {}, {}});
  return gpus_.back();
}

void MeasuredPairs::read_single(const std::string& path, const PairColumns& columns) {
  const CsvTable table(path, "a table of single configurations");
  const std::vector<std::string>& named = columns.single.empty() ? configuration_ : columns.single;
  const std::vector<std::size_t> numbers = profile_of_single(table, columns);
  for (const std::size_t c : numbers) profile_columns_.emplace_back(table.names()[c]);
  const auto gpu = table.find(columns.gpu);
  const std::size_t rate = columns.rate.empty() ? 0 : table.column(columns.rate);
  std::size_t rows = 0;
  for (std::size_t row = 0; row != table.rows(); ++row) {
    if (!chosen(table, row, columns.where)) continue;
    ++rows;
    const std::uint32_t c = intern(configuration_in(table, row, named, ""));
    GpuMeasurements& g = of_gpu(gpu ? std::string(table.cell(row, *gpu)) : "");
    g.profiles.resize(std::max<std::size_t>(g.profiles.size(), c + 1));
    g.rates.resize(g.profiles.size());
    for (const std::size_t n : numbers) g.profiles[c].push_back(real_in(table, row, n, -kMostRate, kMostRate));
    if (g.profiles[c].size() > numbers.size() || g.rates[c] != 0)
      table.fail(row, fmt::format("{} is here for the second time", printable(names_[c])),
                 "a row for each configuration and kind of GPU",
                 columns.where.empty() ? "choose rows by their values: where" : "");
    if (!columns.rate.empty()) g.rates[c] = real_in(table, row, rate, 0, kMostRate);
  }
  if (rows == 0 && !columns.where.empty())
    throw InputError({path, 0,
                      fmt::format("no row has {} = {}", columns.where.begin()->first, columns.where.begin()->second),
                      "values that the file has"});
}

void MeasuredPairs::read_pairs(const CsvTable& table, const std::string& path, const PairColumns& columns) {
  const auto gpu = table.find(columns.gpu);
  const std::size_t speed_a = table.column(columns.speed + "_a"), speed_b = table.column(columns.speed + "_b");
  const bool rates = !columns.rate.empty() && !columns.rates_only_alone;
  std::map<std::string, std::map<std::pair<std::uint32_t, std::uint32_t>, int>> seen;
  const double most = rates ? kMostRate : kMostSpeed;
  for (std::size_t row = 0; row != table.rows(); ++row) {
    PairSpeed p{intern(configuration_in(table, row, configuration_, "_a")),
                intern(configuration_in(table, row, configuration_, "_b")), real_in(table, row, speed_a, 0, most),
                real_in(table, row, speed_b, 0, most)};
    const std::string kind = gpu ? std::string(table.cell(row, *gpu)) : "";
    GpuMeasurements& g = of_gpu(kind);
    check_not_twice(seen[kind], table, row, p.a, p.b);
    const auto kept = [&](std::uint32_t c, double together) {
      if (!rates || together == 0) return together;
      const double alone = c < g.rates.size() ? g.rates[c] : 0;
      if (alone <= 0) table.fail(row, fmt::format("the rate of {} alone is not known", printable(names_[c])));
      return together / alone;
    };
    p.speed_a = kept(p.a, p.speed_a);
    p.speed_b = kept(p.b, p.speed_b);
    g.pairs.push_back(p);
  }
  if (table.rows() == 0) throw InputError({path, 0, "has no pairs", "a row for each measured pair"});
}

/// What configurations are alone is said for each kind of GPU, or for all.
void MeasuredPairs::complete_gpus(const std::string& pairs) {
  const auto all = std::ranges::find_if(gpus_, [](const GpuMeasurements& g) { return g.gpu.empty(); });
  if (gpus_.size() > 1 && all != gpus_.end()) {
    if (!all->pairs.empty())
      throw InputError({pairs, 1, "does not say on which kind of GPU a pair was measured, but single configurations do",
                        "a column with the kind of GPU in both files"});
    const GpuMeasurements alone = *all;
    gpus_.erase(all);
    for (GpuMeasurements& g : gpus_) g.profiles = alone.profiles, g.rates = alone.rates;
  }
  for (GpuMeasurements& g : gpus_) {
    g.profiles.resize(names_.size());
    g.rates.resize(names_.size());
  }
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

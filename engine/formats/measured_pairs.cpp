#include "formats/measured_pairs.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.h"
#include "core/value.h"

namespace coslice {
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
    for (const std::size_t n : numbers) g.profiles[c].push_back(table.real(row, n, -kMostRate, kMostRate));
    if (g.profiles[c].size() > numbers.size() || g.rates[c] != 0)
      table.fail(row, fmt::format("{} has a second row", printable(names_[c])),
                 "one row for each configuration and kind of GPU",
                 columns.where.empty() ? "choose rows by their values: where = { COLUMN = VALUE }" : "");
    if (!columns.rate.empty()) g.rates[c] = table.real(row, rate, 0, kMostRate);
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
                intern(configuration_in(table, row, configuration_, "_b")), table.real(row, speed_a, 0, most),
                table.real(row, speed_b, 0, most)};
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

}  // namespace coslice

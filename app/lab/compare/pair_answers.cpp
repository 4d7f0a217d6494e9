#include "lab/compare/pair_answers.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/random.h"
#include "core/text.h"

namespace coslice {
namespace {

RuleError summed_up(const std::string& rule, std::vector<double> errors) {
  RuleError out{rule, errors.size(), 0, 0, 0};
  if (errors.empty()) return out;
  std::ranges::sort(errors);
  for (const double e : errors) out.mean += e;
  out.mean /= static_cast<double>(errors.size());
  out.p95 = errors[(errors.size() * 95 + 99) / 100 - 1];
  out.most = errors.back();
  return out;
}

/// Kinds of GPUs on which there are pairs; none where the measurements do not say it.
std::vector<std::string> gpu_names(const MeasuredPairs& measured) {
  std::vector<std::string> names;
  for (const GpuMeasurements& g : measured.gpus())
    if (!g.gpu.empty() && !g.pairs.empty()) names.push_back(g.gpu);
  return names;
}

bool any_speed(const std::vector<PairSpeed>& pairs) {
  return std::ranges::any_of(pairs, [](const PairSpeed& p) { return p.speed_a > 0 || p.speed_b > 0; });
}

}  // namespace

/// What the rules say of measured pairs, gathered.
class PairAnswers::Errors {
 public:
  explicit Errors(const PairAnswers& answers) : answers_(answers) {}

  void add(const GpuMeasurements& gpu, const PairSpeed& truth, const PairEstimate& estimate) {
    add_one(gpu, truth.a, truth.b, truth.speed_a, estimate);
    add_one(gpu, truth.b, truth.a, truth.speed_b, estimate);
  }
  std::vector<RuleError> all() const {
    std::vector<RuleError> out = {summed_up("estimate", estimate_), summed_up("no slowdown", none_),
                                  summed_up("mean", mean_)};
    if (answers_.utilization_) out.push_back(summed_up("utilization", utilization_));
    return out;
  }

 private:
  void add_one(const GpuMeasurements& gpu, std::uint32_t a, std::uint32_t b, double speed,
               const PairEstimate& estimate) {
    if (!(speed > 0)) return;
    estimate_.push_back(std::abs(estimate.speed(a, b) - speed));
    none_.push_back(std::abs(1 - speed));
    mean_.push_back(std::abs(estimate.mean() - speed));
    if (answers_.utilization_) utilization_.push_back(std::abs(answers_.by_utilization(gpu, a, b) - speed));
  }

  const PairAnswers& answers_;
  std::vector<double> estimate_, none_, mean_, utilization_;
};

const char* origin_of(const PairAnswer& answer) {
  if (answer.measured) return "measured";
  switch (answer.basis) {
    case PairEstimate::Basis::kPairs: return "pairs";
    case PairEstimate::Basis::kProfile: return "profile";
    case PairEstimate::Basis::kMean: break;
  }
  return "mean";
}

std::vector<AskedPair> read_asked_pairs(const std::string& path, const MeasuredPairs& measured,
                                        const PairColumns& columns) {
  const CsvTable table(path, "a table of pairs");
  const std::vector<std::string> configuration = pair_columns(table, measured.configuration_columns(), columns.speed);
  if (table.rows() == 0) throw InputError({path, 0, "has no pairs", "a row for each pair that is asked about"});
  const auto gpu = table.find(columns.gpu), speed_a = table.find(columns.speed + "_a"),
             speed_b = table.find(columns.speed + "_b");
  const bool several = measured.gpus().size() > 1;
  const std::vector<std::string> kinds = gpu_names(measured);
  const bool rates = !columns.rate.empty() && !columns.rates_only_alone;  // which are no speeds
  if (several && !gpu) (void)table.column(columns.gpu);
  std::vector<AskedPair> pairs;
  for (std::size_t row = 0; row != table.rows(); ++row) {
    AskedPair p;
    p.a = configuration_in(table, row, configuration, "_a");
    p.b = configuration_in(table, row, configuration, "_b");
    for (const char* side : {"_a", "_b"})
      for (const std::string& c : configuration) p.cells.emplace_back(table.cell(row, table.column(c + side)));
    if (several) p.gpu = table.cell(row, *gpu);
    const auto said = [&](const auto& column) {
      return column && !rates && !table.cell(row, *column).empty() ? std::optional(table.real(row, *column, 0, 1e12))
                                                                   : std::nullopt;
    };
    p.speed_a = said(speed_a);
    p.speed_b = said(speed_b);
    if (gpu && !kinds.empty()) {  // a kind that is said counts, also where measurements are of one kind only
      const std::string said_kind(table.cell(row, *gpu));
      if (std::ranges::find(kinds, said_kind) == kinds.end())
        table.fail(row, fmt::format("no pair was measured on GPUs of kind '{}'", printable(said_kind)),
                   fmt::format("one of {}", fmt::join(kinds, ", ")), did_you_mean(said_kind, kinds));
    }
    pairs.push_back(std::move(p));
  }
  return pairs;
}

PairAnswers::PairAnswers(const MeasuredPairs& measured, const std::string& utilization) : measured_(measured) {
  const std::vector<std::string>& columns = measured.profile_columns();
  const auto at = std::ranges::find(columns, utilization);
  if (at != columns.end()) utilization_ = static_cast<std::size_t>(at - columns.begin());
  for (const GpuMeasurements& g : measured.gpus())
    if (!g.pairs.empty()) gpus_.push_back({&g, PairEstimate(g.pairs, g.profiles), KnownPairs(g.pairs)});
}

const PairAnswers::OfGpu& PairAnswers::of_gpu(const std::string& gpu) const {
  for (const OfGpu& g : gpus_)
    if (gpu.empty() || g.measurements->gpu == gpu) return g;
  throw InputError({"", 0, fmt::format("no pair was measured on GPUs of kind '{}'", gpu)});
}

PairAnswer PairAnswers::answer(const AskedPair& pair) const {
  const OfGpu& gpu = of_gpu(pair.gpu);
  const std::uint32_t a = measured_.number(pair.a), b = measured_.number(pair.b);
  if (const auto known = gpu.known.find(a, b)) return {known->speed_a, known->speed_b, true, {}};
  return {gpu.estimate.speed(a, b), gpu.estimate.speed(b, a), false, gpu.estimate.basis(a, b)};
}

double PairAnswers::by_utilization(const GpuMeasurements& gpu, std::uint32_t a, std::uint32_t b) const {
  double sum = 0;
  for (const std::uint32_t c : {a, b})
    if (c < gpu.profiles.size() && !gpu.profiles[c].empty()) sum += gpu.profiles[c][*utilization_] / 100;
  return sum > 1 ? 1 / sum : 1;
}

std::vector<RuleError> PairAnswers::errors(const std::vector<AskedPair>& pairs) const {
  Errors errors(*this);
  for (const AskedPair& p : pairs) {
    const OfGpu& gpu = of_gpu(p.gpu);
    const std::uint32_t a = measured_.number(p.a), b = measured_.number(p.b);
    if (!p.speed_a || !p.speed_b || gpu.known.find(a, b)) continue;
    errors.add(*gpu.measurements, {a, b, *p.speed_a, *p.speed_b}, gpu.estimate);
  }
  return errors.all();
}

std::vector<std::vector<RuleError>> PairAnswers::left_out_pairs(std::int64_t folds, std::uint64_t seed) const {
  std::vector<std::vector<RuleError>> out;
  const RandomKey key(seed, "pairs.fold");
  for (const OfGpu& gpu : gpus_) {
    const std::vector<PairSpeed>& pairs = gpu.measurements->pairs;
    std::vector<std::size_t> dealt(pairs.size());
    for (std::size_t i = 0; i != dealt.size(); ++i) dealt[i] = i;
    std::ranges::sort(
        dealt, [&](std::size_t x, std::size_t y) { return std::pair(key.bits(x), x) < std::pair(key.bits(y), y); });
    Errors errors(*this);
    for (std::int64_t fold = 0; fold != folds; ++fold) {
      std::vector<PairSpeed> from, left_out;
      for (std::size_t i = 0; i != dealt.size(); ++i)
        (static_cast<std::int64_t>(i) % folds == fold ? left_out : from).push_back(pairs[dealt[i]]);
      if (left_out.empty() || !any_speed(from)) continue;
      const PairEstimate estimate(from, gpu.measurements->profiles);
      for (const PairSpeed& p : left_out) errors.add(*gpu.measurements, p, estimate);
    }
    out.push_back(errors.all());
  }
  return out;
}

std::vector<std::vector<RuleError>> PairAnswers::left_out_configurations() const {
  std::vector<std::vector<RuleError>> out;
  for (const OfGpu& gpu : gpus_) {
    Errors errors(*this);
    for (std::uint32_t c = 0; c != measured_.configurations().size(); ++c) {
      std::vector<PairSpeed> from, left_out;
      for (const PairSpeed& p : gpu.measurements->pairs) (p.a == c || p.b == c ? left_out : from).push_back(p);
      if (left_out.empty() || !any_speed(from)) continue;
      const PairEstimate estimate(from, gpu.measurements->profiles);
      for (const PairSpeed& p : left_out) errors.add(*gpu.measurements, p, estimate);
    }
    out.push_back(errors.all());
  }
  return out;
}

}  // namespace coslice

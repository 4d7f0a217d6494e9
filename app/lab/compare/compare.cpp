#include "lab/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/error.h"
#include "lab/compare/common_runs.h"
#include "lab/compare/compare_output.h"
#include "lab/compare/compared_runs.h"
#include "output/summary_json.h"
#include "report/markup.h"

namespace coslice {
namespace {

/// The figure of each run that has it.
std::map<RunCell, double> by_cell(const Figure& figure, const Variant& v) {
  std::map<RunCell, double> out;
  for (const RunRecord& run : v.runs)
    if (const auto x = figure_of(figure, run.summary)) out[{run.seed, run.condition}] = *x;
  return out;
}

/// By seed: the one whose runs are the same.
using Alike = std::map<std::int64_t, std::int64_t>;

std::vector<double> means_of_units(const std::map<RunCell, double>& numbers, const Alike& alike) {
  Sample sample;
  for (const auto& [cell, x] : numbers) sample.add(alike.at(cell.first), x);
  return sample.means();
}

/// The jobs of the only run that are counted, in a class.
std::vector<const JobRecord*> jobs_of(const std::vector<JobRecord>& jobs, const std::string& job_class) {
  std::vector<const JobRecord*> out;
  for (const JobRecord& j : jobs)
    if (job_class == "all" || j.job_class == job_class) out.push_back(&j);
  return out;
}

/// Whether a difference is less than the last digit that is shown of what differs.
bool is_below_print(double difference, const ComparedValue& v, double base) {
  return std::abs(difference) < std::max(readable_step(v.value), readable_step(base));
}

CompareVerdict judge(const Figure& figure, const ComparedValue& v, double base, bool all_equal, bool other_machine) {
  if (all_equal) return CompareVerdict::kSame;
  const auto below = [&](double difference) { return is_below_print(difference, v, base); };
  if (!v.difference_interval) return below(*v.difference) ? CompareVerdict::kSame : CompareVerdict::kNone;
  const Interval& i = *v.difference_interval;
  if (below(i.low) && below(i.high)) return CompareVerdict::kSame;
  if (i.low <= 0 && i.high >= 0) return CompareVerdict::kNoise;
  if (below(*v.difference)) return CompareVerdict::kSame;
  if (figure.better == Better::kNeither || (other_machine && figure.of_machine)) return CompareVerdict::kDifferent;
  const bool lower = *v.difference < 0;
  return lower == (figure.better == Better::kLower) ? CompareVerdict::kBetter : CompareVerdict::kWorse;
}

class Comparer {
 public:
  Comparer(const VariantComparison& comparison, const CompareOptions& options)
      : variants_(comparison.variants), options_(options), difference_level_(comparison.difference_level) {
    for (const Variant& v : variants_) {
      jobs_.push_back(v.runs.size() == 1 ? without_ends(v.runs[0].jobs, share_of(v.runs[0]))
                                         : std::vector<JobRecord>{});
      alike_.push_back(alike_seeds({&v}));
      alike_of_pairs_.push_back(alike_seeds({&variants_.front(), &v}));
    }
  }

  ComparedFigure compare(const Figure& figure) const {
    std::vector<std::map<RunCell, double>> numbers;
    for (const Variant& v : variants_) numbers.push_back(by_cell(figure, v));
    keep_common(numbers);
    ComparedFigure out{figure, {}};
    for (std::size_t i = 0; i < variants_.size(); ++i) out.values.push_back(compare(figure, i, numbers));
    return out;
  }

  double share_of(const RunRecord& run) const {
    return options_.trim.value_or(number_at(run.summary, {"trimmed", "share"}).value_or(0));
  }

 private:
  /// A figure that some runs lack is compared over those that have it of all variants.
  static void keep_common(std::vector<std::map<RunCell, double>>& numbers) {
    std::vector<VariantCells> cells(numbers.size());
    for (std::size_t v = 0; v != numbers.size(); ++v)
      for (const auto& [cell, x] : numbers[v]) cells[v].done.insert(cell);
    const CommonRuns common = common_runs(cells);
    if (!common.any() || stand_apart(cells, common)) return;
    for (auto& of_variant : numbers)
      std::erase_if(of_variant, [&](const auto& number) { return common.cells.count(number.first) == 0; });
  }

  ComparedValue compare(const Figure& figure, std::size_t i,
                        const std::vector<std::map<RunCell, double>>& numbers) const {
    ComparedValue out;
    out.runs = numbers[i].size();
    if (variants_[i].runs.empty() && !variants_[i].failed.empty()) out.verdict = CompareVerdict::kFailed;
    if (numbers[i].empty()) return out;
    const Estimate e = estimate_of(means_of_units(numbers[i], alike_[i]), options_.unit, options_.level);
    out.value = e.mean;
    out.interval = e.interval;
    out.unit = e.unit;
    out.units = e.units;
    if (!out.interval && has_jobs(figure, i)) {
      const BatchMeans batches = batch_means(series(figure, i), options_.level);
      out.interval = batches.interval;
      if (batches.interval) out.unit = Unit::kBatch, out.units = batches.batches;
    }
    if (i > 0) add_difference(figure, i, numbers, out);
    return out;
  }

  bool has_jobs(const Figure& figure, std::size_t i) const { return figure.of_job != nullptr && !jobs_[i].empty(); }

  std::vector<double> series(const Figure& figure, std::size_t i) const {
    std::vector<double> out;
    for (const JobRecord* j : jobs_of(jobs_[i], figure.job_class)) out.push_back(j->*figure.of_job);
    return out;
  }

  /// Differences job by job, in the order of submission; nothing if the two runs had other jobs.
  std::vector<double> paired_series(const Figure& figure, std::size_t i) const {
    const auto a = jobs_of(jobs_[0], figure.job_class), b = jobs_of(jobs_[i], figure.job_class);
    std::map<std::int64_t, const JobRecord*> of_id;
    for (const JobRecord* j : b) of_id[j->id] = j;
    std::vector<double> out;
    for (const JobRecord* j : a) {
      const auto other = of_id.find(j->id);
      if (other != of_id.end()) out.push_back(other->second->*figure.of_job - j->*figure.of_job);
    }
    return out.size() == a.size() && out.size() == b.size() ? out : std::vector<double>{};
  }

  void add_difference(const Figure& figure, std::size_t i, const std::vector<std::map<RunCell, double>>& numbers,
                      ComparedValue& out) const {
    const std::map<RunCell, double>&reference = numbers[0], &own = numbers[i];
    if (reference.empty()) return;
    Sample differences, base_of_pairs;
    bool all_equal = true;
    for (const auto& [cell, x] : own) {
      const auto other = reference.find(cell);
      if (other == reference.end()) continue;
      const std::int64_t unit = alike_of_pairs_[i].at(cell.first);
      differences.add(unit, x - other->second);
      base_of_pairs.add(unit, other->second);
      all_equal = all_equal && x == other->second;
    }
    const std::vector<double> pairs = differences.means();
    std::vector<double> base = base_of_pairs.means();
    if (variants_[i].runs.size() == 1 && variants_[0].runs.size() == 1) {
      base = means_of_units(reference, alike_[0]);
      out.difference = out.value - mean(base);
      all_equal = by_jobs(figure, i, out);
    } else if (pairs.size() >= 2) {
      const Estimate e = difference_of(pairs, options_.unit, difference_level_);
      out.difference = e.mean;
      out.difference_interval = e.interval;
      out.units = std::max(out.units, e.units);  // more than its own, where only the first variant draws
      if (e.interval) out.method = CompareMethod::kPaired;
    } else {
      base = means_of_units(reference, alike_[0]);
      out.difference = out.value - mean(base);
      out.difference_interval = coslice::difference_interval(base, means_of_units(own, alike_[i]), difference_level_);
      if (out.difference_interval) out.method = CompareMethod::kApart;
      all_equal = false;
    }
    if (mean(base) != 0) out.relative = *out.difference / std::abs(mean(base));
    out.verdict = judge(figure, out, mean(base), all_equal, on_other_machines(variants_[0], variants_[i]));
    if (out.verdict == CompareVerdict::kNoise && out.method == CompareMethod::kPaired)
      out.runs_needed = values_needed(pairs, difference_level_, kMostRunsNeeded);
  }

  /// Whether no job differs.
  bool by_jobs(const Figure& figure, std::size_t i, ComparedValue& out) const {
    if (!has_jobs(figure, 0) || !has_jobs(figure, i)) return false;
    const std::vector<double> pairs = paired_series(figure, i);
    if (pairs.empty()) return false;
    out.method = CompareMethod::kJobs;
    out.difference_interval = batch_means(pairs, difference_level_).interval;
    if (!out.difference_interval) out.method = CompareMethod::kNone;
    return std::ranges::all_of(pairs, [](double d) { return d == 0; });
  }

  const std::vector<Variant>& variants_;
  const CompareOptions& options_;
  const double difference_level_;
  std::vector<std::vector<JobRecord>> jobs_;  ///< by variant, without the ends; empty where there are several runs
  /// By variant: its seeds whose runs are the same, and those where it and the first give the same. A policy that draws
  /// makes the seeds differ, but not those of others beside it.
  std::vector<Alike> alike_, alike_of_pairs_;
};

/// Puts figures with another share cut off in the place of the recorded ones.
void retrim(std::vector<Variant>& variants, double share) {
  for (Variant& v : variants) {
    for (RunRecord& run : v.runs) {
      if (number_at(run.summary, {"trimmed", "share"}) == share) continue;
      const std::vector<JobRecord> jobs = all_jobs_of(run);
      if (jobs.empty())
        throw InputError(
            {run.where, 0, "does not hold its jobs, so that no other share of them can be cut",
             fmt::format("--trim {}, as it was run with", number_at(run.summary, {"trimmed", "share"}).value_or(0)),
             run.jobs_advice.empty() ? "or --trim 0" : "or --trim 0; " + run.jobs_advice});
      Value figures = trimmed_figures(jobs, share);
      if (const Value* recorded =
              run.summary.find("trimmed"))  // whether the machine fell behind does not depend on the share
        for (const char* name : {"saturated", "backlog_growth"})
          if (const Value* of = recorded->find(name)) figures.set(name, *of);
      run.summary.set("trimmed", figures);
    }
  }
}

/// Of the intervals to the best of n variants that was chosen by the same runs. It could have been any of them, so that
/// the n - 1 differences are as likely to mislead as some of all n (n - 1) / 2 pairs: with an error of 2 / n of the
/// usual one for each, a verdict of the table is wrong as seldom as one of two variants named beforehand.
double level_to_the_best(const VariantComparison& c) {
  const auto n =
      static_cast<double>(std::ranges::count_if(c.variants, [](const Variant& v) { return !v.runs.empty(); }));
  return 1 - (1 - c.level) * 2 / std::max(n, 2.0);
}

/// A run that stands alone is compared by its jobs.
void fetch_single_jobs(std::vector<Variant>& variants) {
  for (Variant& v : variants)
    if (v.runs.size() == 1) v.runs[0].jobs = all_jobs_of(v.runs[0]);
}

}  // namespace

const char* verdict_word(CompareVerdict v) {
  switch (v) {
    case CompareVerdict::kSame: return "same";
    case CompareVerdict::kNoise: return "noise";
    case CompareVerdict::kBetter: return "better";
    case CompareVerdict::kWorse: return "worse";
    case CompareVerdict::kDifferent: return "differs";
    case CompareVerdict::kFailed: return "failed";
    case CompareVerdict::kNone: break;
  }
  return "";
}

VariantComparison compare_variants(std::vector<Variant> variants, const CompareOptions& options) {
  if (variants.size() < 2) {
    throw InputError({"", 0,
                      variants.empty() ? "there is nothing to compare"
                                       : fmt::format("all runs are of one kind, {}", variants.front().name),
                      "at least two kinds of runs"});
  }
  VariantComparison out;
  out.level = options.level;
  out.unit = options.unit;
  out.variants = std::move(variants);
  keep_common_runs(out);
  if (!out.refused.empty()) return out;
  drop_repeated_seeds(out);
  fetch_single_jobs(out.variants);
  if (options.trim && *options.trim > 0) retrim(out.variants, *options.trim);
  std::vector<const RunRecord*> runs;
  for (const Variant& v : out.variants)
    for (const RunRecord& r : v.runs) runs.push_back(&r);
  out.difference_level = options.to_the_best ? level_to_the_best(out) : options.level;
  const bool trimmed = !(options.trim && *options.trim == 0);
  const Comparer comparer(out, options);
  for (const Figure& f :
       options.figures.empty() ? find_usual_figures(runs, trimmed) : find_figures(options.figures, runs, trimmed))
    out.figures.push_back(comparer.compare(f));
  add_notes(out, options);
  return out;
}

}  // namespace coslice

#include "lab/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/error.h"
#include "lab/compare/compare_output.h"
#include "output/summary_json.h"

namespace coslice {
namespace {

/// The figure of each run that has it, by seed.
std::map<std::int64_t, double> by_seed(const Figure& figure, const Variant& v) {
  std::map<std::int64_t, double> out;
  for (const RunRecord& run : v.runs)
    if (const auto x = figure_of(figure, run.summary)) out[run.seed] = *x;
  return out;
}

std::vector<double> values_of(const std::map<std::int64_t, double>& numbers) {
  std::vector<double> out;
  for (const auto& [seed, x] : numbers) out.push_back(x);
  return out;
}

/// The jobs of the only run that are counted, in a class.
std::vector<const JobRecord*> jobs_of(const std::vector<JobRecord>& jobs, const std::string& job_class) {
  std::vector<const JobRecord*> out;
  for (const JobRecord& j : jobs)
    if (job_class == "all" || j.job_class == job_class) out.push_back(&j);
  return out;
}

CompareVerdict judge(const Figure& figure, const ComparedValue& v, bool all_equal) {
  if (all_equal) return CompareVerdict::kSame;
  if (!v.difference_interval) return CompareVerdict::kNone;
  if (v.difference_interval->low <= 0 && v.difference_interval->high >= 0) return CompareVerdict::kNoise;
  if (figure.better == Better::kNeither) return CompareVerdict::kDifferent;
  const bool lower = *v.difference < 0;
  return lower == (figure.better == Better::kLower) ? CompareVerdict::kBetter : CompareVerdict::kWorse;
}

class Comparer {
 public:
  Comparer(const std::vector<Variant>& variants, const CompareOptions& options)
      : variants_(variants), options_(options) {
    for (const Variant& v : variants)
      jobs_.push_back(v.runs.size() == 1 ? without_ends(v.runs[0].jobs, share_of(v.runs[0]))
                                         : std::vector<JobRecord>{});
  }

  ComparedFigure compare(const Figure& figure) const {
    ComparedFigure out{figure, {}};
    for (std::size_t i = 0; i < variants_.size(); ++i) out.values.push_back(compare(figure, i));
    return out;
  }

  double share_of(const RunRecord& run) const {
    return options_.trim.value_or(number_at(run.summary, {"trimmed", "share"}).value_or(0));
  }

 private:
  ComparedValue compare(const Figure& figure, std::size_t i) const {
    ComparedValue out;
    const auto numbers = by_seed(figure, variants_[i]);
    out.runs = numbers.size();
    if (numbers.empty()) return out;
    out.value = mean(values_of(numbers));
    out.interval = confidence_interval(values_of(numbers), options_.level);
    if (!out.interval && has_jobs(figure, i)) out.interval = batch_means(series(figure, i), options_.level).interval;
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

  void add_difference(const Figure& figure, std::size_t i, const std::map<std::int64_t, double>& numbers,
                      ComparedValue& out) const {
    const auto reference = by_seed(figure, variants_[0]);
    if (reference.empty()) return;
    std::vector<double> pairs, base;
    for (const auto& [seed, x] : numbers) {
      const auto other = reference.find(seed);
      if (other == reference.end()) continue;
      pairs.push_back(x - other->second);
      base.push_back(other->second);
    }
    bool all_equal = false;
    if (variants_[i].runs.size() == 1 && variants_[0].runs.size() == 1) {
      out.difference = out.value - mean(values_of(reference));
      base = values_of(reference);
      all_equal = by_jobs(figure, i, out);
    } else if (pairs.size() >= 2) {
      out.method = CompareMethod::kPaired;
      out.difference = mean(pairs);
      out.difference_interval = confidence_interval(pairs, options_.level);
      all_equal = std::ranges::all_of(pairs, [](double d) { return d == 0; });
    } else {
      base = values_of(reference);
      out.difference = out.value - mean(base);
      out.difference_interval = coslice::difference_interval(base, values_of(numbers), options_.level);
      if (out.difference_interval) out.method = CompareMethod::kApart;
    }
    if (mean(base) != 0) out.relative = *out.difference / std::abs(mean(base));
    out.verdict = judge(figure, out, all_equal);
    if (out.verdict == CompareVerdict::kNoise && out.method == CompareMethod::kPaired)
      out.runs_needed = values_needed(pairs, options_.level, kMostRunsNeeded);
  }

  /// Whether no job differs.
  bool by_jobs(const Figure& figure, std::size_t i, ComparedValue& out) const {
    if (!has_jobs(figure, 0) || !has_jobs(figure, i)) return false;
    const std::vector<double> pairs = paired_series(figure, i);
    if (pairs.empty()) return false;
    out.method = CompareMethod::kJobs;
    out.difference_interval = batch_means(pairs, options_.level).interval;
    if (!out.difference_interval) out.method = CompareMethod::kNone;
    return std::ranges::all_of(pairs, [](double d) { return d == 0; });
  }

  const std::vector<Variant>& variants_;
  const CompareOptions& options_;
  std::vector<std::vector<JobRecord>> jobs_;  ///< by variant, without the ends; empty where there are several runs
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
  fetch_single_jobs(variants);
  if (options.trim && *options.trim > 0) retrim(variants, *options.trim);
  VariantComparison out;
  out.level = options.level;
  out.variants = std::move(variants);
  std::vector<const RunRecord*> runs;
  for (const Variant& v : out.variants)
    for (const RunRecord& r : v.runs) runs.push_back(&r);
  const bool trimmed = !(options.trim && *options.trim == 0);
  const Comparer comparer(out.variants, options);
  for (const Figure& f :
       options.figures.empty() ? find_usual_figures(runs, trimmed) : find_figures(options.figures, runs, trimmed))
    out.figures.push_back(comparer.compare(f));
  add_notes(out, options);
  return out;
}

}  // namespace coslice

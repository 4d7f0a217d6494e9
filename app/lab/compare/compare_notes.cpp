#include "lab/compare/compare_output.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lab/compare/common_runs.h"
#include "lab/compare/compared_runs.h"
#include "output/summary_json.h"
#include "report/markup.h"

namespace coslice {
namespace {

/// "1 to 10", "3", "1, 4, 7".
std::string seeds_text(const std::set<std::int64_t>& seeds) {
  const std::int64_t first = *seeds.begin(), last = *seeds.rbegin();
  if (seeds.size() > 2 && last - first + 1 == std::ssize(seeds)) return fmt::format("{} to {}", first, last);
  std::string out;
  for (const std::int64_t s : seeds) {
    if (out.size() > 30) return fmt::format("{}, ... ({} of them)", out, seeds.size());
    out += (out.empty() ? "" : ", ") + std::to_string(s);
  }
  return out;
}

bool uses(const VariantComparison& c, CompareMethod method) {
  return std::ranges::any_of(c.figures, [&](const ComparedFigure& f) {
    return std::ranges::any_of(f.values, [&](const ComparedValue& v) { return v.method == method; });
  });
}

std::string percent_text(double share) { return fmt::format("{:.4g} %", share * 100); }

/// Under how many conditions each seed has runs, of all variants alike.
std::map<std::int64_t, std::size_t> conditions_by_seed(const VariantComparison& c) {
  std::map<std::int64_t, std::size_t> out;
  for (const RunRecord& r : c.variants.front().runs) ++out[r.seed];
  return out;
}

/// ", each the mean of its runs under 10 conditions (load 0.8 to load 0.9)": what a seed's runs are averaged over.
std::string conditions_text(const VariantComparison& c) {
  if (c.conditions.size() < 2) return "";
  const auto by_seed = conditions_by_seed(c);
  const auto fewest = std::ranges::min_element(by_seed, {}, [](const auto& of) { return of.second; })->second;
  const auto most = std::ranges::max_element(by_seed, {}, [](const auto& of) { return of.second; })->second;
  const bool all = fewest == c.conditions.size();
  return fmt::format(", each the mean of its runs under {}{} conditions ({} to {})",
                     all             ? ""
                     : fewest < most ? fmt::format("{} to {} of ", fewest, most)
                                     : fmt::format("{} of ", fewest),
                     c.conditions.size(), c.conditions.front(), c.conditions.back());
}

std::string differences_text(const VariantComparison& c) {
  std::string out =
      fmt::format("differences are between runs of the same {}", c.unit == Unit::kSeed ? "seed" : "phase");
  if (c.conditions.size() > 1) out += " and condition";
  if (c.difference_level != c.level)
    out += fmt::format(", with intervals of {}, because the best was chosen by these runs",
                       percent_text(c.difference_level));
  return out;
}

/// Those that have runs.
std::vector<const Variant*> compared(const VariantComparison& c) {
  std::vector<const Variant*> out;
  for (const Variant& v : c.variants)
    if (!v.runs.empty()) out.push_back(&v);
  return out;
}

bool is_one_run_each(const VariantComparison& c) {
  return std::ranges::all_of(compared(c), [](const Variant* v) { return v->runs.size() == 1; });
}

std::string runs_note(const VariantComparison& c, double level) {
  const std::vector<const Variant*> variants = compared(c);
  const auto seeds = seeds_of(*variants.front());
  const bool common = std::ranges::all_of(variants, [&](const Variant* v) { return seeds_of(*v) == seeds; });
  if (is_one_run_each(c) && !uses(c, CompareMethod::kJobs)) return "One run each, without intervals.";
  if (is_one_run_each(c))
    return fmt::format("One run each, intervals of {} from batches of its jobs.", percent_text(level));
  if (common && seeds.size() == 1) return fmt::format("One seed{}, without intervals.", conditions_text(c));
  if (common)
    return fmt::format("Means over {} ({}){} with intervals of {}; {}.", counted_units(seeds.size(), c.unit),
                       seeds_text(seeds), conditions_text(c), percent_text(level), differences_text(c));
  std::string counts;
  for (const Variant* v : variants)
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", v->runs.size(), v->name);
  return fmt::format("Means over runs ({}) with intervals of {}{}.", counts, percent_text(level),
                     uses(c, CompareMethod::kPaired) ? "; " + differences_text(c) : "");
}

std::string trim_note(const VariantComparison& c, const CompareOptions& options) {
  if (options.trim && *options.trim == 0) return "All jobs count, those of the warm-up and of the end as well.";
  std::set<double> shares;
  for (const Variant& v : c.variants)
    for (const RunRecord& r : v.runs) shares.insert(number_at(r.summary, {"trimmed", "share"}).value_or(0));
  if (shares.size() > 1) return "The first and last jobs of each run are left out, of some runs more than of others.";
  const auto knows_machine = [](const RunRecord& r) {
    return number_at(r.summary, {"trimmed", "utilization"}).has_value();
  };
  const auto in_all = [&](const auto& holds) {
    return std::ranges::all_of(c.variants, [&](const Variant& v) { return std::ranges::all_of(v.runs, holds); });
  };
  const auto has_time = [](const RunRecord& r) { return !has_no_time_between(r.summary); };
  const bool known = in_all(knows_machine);
  if (known && !in_all(has_time))
    return fmt::format("The first and last {} of the jobs of each run are left out (--trim); where the others come all "
                       "at once, utilization and queue are those of the whole run.",
                       percent_text(*shares.begin()));
  return fmt::format("The first and last {} of the jobs of each run are left out (--trim); utilization and queue {}.",
                     percent_text(*shares.begin()),
                     known ? "are those of the time between"
                           : "of the time between are not known, as the runs were made with another share");
}

/// ", under load 0.9": where of several conditions; "" for all of them.
std::string under_text(const VariantComparison& c, const std::set<std::string>& conditions) {
  if (conditions.size() == c.conditions.size()) return "";
  std::vector<std::string> named;
  for (const std::string& condition : c.conditions)
    if (conditions.count(condition) != 0) named.push_back(condition);
  constexpr std::size_t kMostNamed = 3;
  const std::size_t more = named.size() - std::min(named.size(), kMostNamed);
  named.resize(named.size() - more);
  return fmt::format(", under {}{}", fmt::join(named, "; "), more == 0 ? "" : fmt::format(" and {} more", more));
}

void warn_saturation(VariantComparison& c) {
  std::string list;
  for (const Variant& v : c.variants) {
    std::size_t n = 0;
    double growth = 0;
    std::set<std::string> conditions;
    for (const RunRecord& r : v.runs) {
      const Value* trimmed = r.summary.find("trimmed");
      const Value* mark = trimmed != nullptr ? trimmed->find("saturated") : nullptr;
      if (mark == nullptr || mark->flag() == nullptr || !*mark->flag()) continue;
      ++n;
      conditions.insert(r.condition);
      growth += number_at(r.summary, {"trimmed", "backlog_growth"}).value_or(0);
    }
    if (n == 0) continue;
    list +=
        fmt::format("{}{} ({} of {}, by {} of the machine's time{})", list.empty() ? "" : ", ", v.name, n,
                    counted(std::ssize(v.runs), "run"),
                    percent_text(std::round(growth / static_cast<double>(n) * 1000) / 1000), under_text(c, conditions));
  }
  if (!list.empty())
    c.warnings.push_back("the machine fell behind, and the queue grew to the end: " + list +
                         ". Waits then say how long the runs were, not how good a policy is.");
}

/// One run cannot say what another workload would have given.
void note_single_runs(VariantComparison& c, const CompareOptions& options) {
  if (!is_one_run_each(c)) {
    if (std::ranges::all_of(compared(c), [](const Variant* v) { return seeds_of(*v).size() == 1; }))
      c.warnings.push_back(fmt::format("one {} only: nothing says which differences are chance. Several would.",
                                       c.unit == Unit::kSeed ? "seed" : "phase"));
    return;
  }
  if (!uses(c, CompareMethod::kJobs)) {
    const RunRecord& run = c.variants.front().runs.front();
    const bool kept = run.jobs_advice.empty() || !run.jobs.empty();
    c.warnings.push_back(
        fmt::format("one run each, {}: nothing says which differences are chance. Several seeds would ({}){}.",
                    kept ? "and not enough jobs in common to compare" : "and its jobs were not kept",
                    run.jobs_advice.empty() ? "--scenario FILE --seeds 10" : "seeds in [campaign]",
                    kept ? "" : "; batches of jobs would say something: " + run.jobs_advice));
    return;
  }
  c.notes.push_back("The same jobs are compared one by one, in 20 batches by submission. That says whether another "
                    "stretch of this workload would differ as well, not what other workloads would give: for that, "
                    "compare several seeds.");
  double most = 0;
  for (std::size_t i = 1; i < c.variants.size(); ++i) {
    if (c.variants[i].runs.empty()) continue;
    std::map<std::int64_t, double> waits;
    for (const JobRecord& j : c.variants[0].runs[0].jobs) waits[j.id] = j.wait;
    std::vector<double> differences;
    const double share =
        options.trim.value_or(number_at(c.variants[i].runs[0].summary, {"trimmed", "share"}).value_or(0));
    for (const JobRecord& j : without_ends(c.variants[i].runs[0].jobs, share))
      if (waits.count(j.id) != 0) differences.push_back(j.wait - waits[j.id]);
    most = std::max(most, batch_means(differences, options.level).correlation);
  }
  if (most > 0.5)
    c.warnings.push_back(fmt::format("the batches are correlated (correlation {:.2f}): a few bursts decide, and the "
                                     "intervals are rough.",
                                     most));
}

void warn_other_jobs(VariantComparison& c) {
  std::set<std::string> workloads;
  for (const Variant& v : c.variants)
    for (const RunRecord& r : v.runs) workloads.insert(text_at(r.summary, {"workload", "name"}));
  if (workloads.size() < 2) return;
  c.warnings.push_back(fmt::format("the runs are of different workloads: {}.", fmt::join(workloads, ", ")));
}

/// A condition that fewer seeds have counts for less, and may move a mean by that alone.
void warn_of_lacking_conditions(VariantComparison& c) {
  if (c.conditions.size() < 2) return;
  const auto by_seed = conditions_by_seed(c);
  const auto lacking = std::ranges::count_if(by_seed, [&](const auto& of) { return of.second < c.conditions.size(); });
  if (lacking == 0) return;
  c.warnings.push_back(fmt::format("{} of {} {} no runs under some of the {} conditions: the mean of each is of the "
                                   "others, and conditions count by how many {} have them.",
                                   lacking, counted_units(by_seed.size(), c.unit), lacking == 1 ? "has" : "have",
                                   c.conditions.size(), unit_names(c.unit)));
}

/// Seeds that move some variants only: those that draw nothing say once what they say.
void note_variants_without_draws(VariantComparison& c) {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::string>> same;  // by seeds and how many differ
  for (const Variant* const v : compared(c)) {
    const auto alike = alike_seeds({v});
    std::set<std::int64_t> firsts;
    for (const auto& [seed, first] : alike) firsts.insert(first);
    if (firsts.size() < alike.size()) same[{alike.size(), firsts.size()}].push_back(v->name);
  }
  for (const auto& [counts, names] : same) {
    std::string text = repeated_text(counts.first, counts.first - counts.second, c.unit);
    text.front() = 'o';
    c.notes.push_back(fmt::format("{}: {}", fmt::join(names, ", "), text));
  }
}

/// A mean over conditions has in its interval what the seeds move, and of a log they may move nothing.
void warn_of_conditions_without_draws(VariantComparison& c) {
  if (c.conditions.size() < 2) return;
  std::vector<std::string> still;
  for (const std::string& condition : c.conditions) {
    std::vector<RunFingerprint> there;
    for (const Variant* const v : compared(c))
      for (const RunRecord& r : v->runs)
        if (r.condition == condition) there.push_back({r.seed, v->name, text_at(r.summary, {"fingerprint"})});
    const auto alike = first_alike(there);
    const bool one = std::ranges::all_of(alike, [&](const auto& of) { return of.second == alike.begin()->second; });
    if (alike.size() > 1 && one) still.push_back(condition);
  }
  if (still.empty()) return;
  c.warnings.push_back(
      fmt::format("under {} all {} give the same runs: intervals have nothing of the chance that is in "
                  "these.",
                  fmt::join(still, "; "), unit_names(c.unit)));
}

/// What tells jobs from others as far as summaries have it: how many there are, and their work.
std::string mark_of_jobs(const RunRecord& r) {
  const Value* const workload = r.summary.find("workload");
  const Value* const load = workload == nullptr ? nullptr : workload->find("offered_load");
  const Value* const jobs = workload == nullptr ? nullptr : workload->find("jobs");
  return load == nullptr || jobs == nullptr ? "" : json_from_value(*jobs) + json_from_value(*load);
}

/// Where a log is run, seeds move what is drawn beside its jobs, and intervals say no more.
void note_same_jobs(VariantComparison& c) {
  if (c.unit != Unit::kSeed || !uses(c, CompareMethod::kPaired)) return;
  std::map<std::string, std::set<std::string>> by_condition;
  for (const Variant* const v : compared(c))
    for (const RunRecord& r : v->runs) by_condition[r.condition].insert(mark_of_jobs(r));
  for (const auto& [condition, jobs] : by_condition)
    if (jobs.size() != 1 || jobs.begin()->empty()) return;
  c.notes.push_back("All seeds have the same jobs: the intervals say what is drawn beside them may change, not what "
                    "other jobs would.");
}

void note_other_machines(VariantComparison& c) {
  const auto of_machine = [](const ComparedFigure& f) { return f.figure.of_machine; };
  const auto other = [&](const Variant* v) { return on_other_machines(c.variants.front(), *v); };
  if (std::ranges::none_of(c.figures, of_machine) || std::ranges::none_of(compared(c), other)) return;
  c.notes.push_back("The machines differ, which moves shares of the machine by itself, such as utilization: these "
                    "differ, and are neither better nor worse.");
}

}  // namespace

std::set<std::int64_t> seeds_of(const Variant& v) {
  std::set<std::int64_t> seeds;
  for (const RunRecord& r : v.runs) seeds.insert(r.seed);
  return seeds;
}

void add_notes(VariantComparison& c, const CompareOptions& options) {
  c.notes.insert(c.notes.begin(), runs_note(c, options.level));
  c.notes.push_back(trim_note(c, options));
  note_variants_without_draws(c);
  note_same_jobs(c);
  note_single_runs(c, options);
  warn_of_lacking_conditions(c);
  warn_of_conditions_without_draws(c);
  warn_saturation(c);
  warn_other_jobs(c);
  note_other_machines(c);
}

}  // namespace coslice

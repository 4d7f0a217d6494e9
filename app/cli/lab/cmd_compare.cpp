// coslice compare: runs, policies or campaigns side by side, with what is chance marked.
#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "cli/frame/stop_signals.h"
#include "cli/jobs/trace_flags.h"
#include "core/error.h"
#include "core/text.h"
#include "lab/campaign/campaign_groups.h"
#include "lab/campaign/results.h"
#include "lab/compare/compare.h"
#include "lab/compare/compare_output.h"
#include "lab/compare/compared_runs.h"
#include "lab/compare/ranking.h"
#include "lab/simulations.h"
#include "metrics/figures.h"
#include "report/tables/terminal.h"

namespace coslice::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kUsualSeeds = 10, kMostCompareSeeds = 10'000;
const std::vector<std::string> kCompareFormats = {"table", "markdown", "csv", "latex", "json"};

struct CompareFlags {
  std::vector<std::string> what, sets, figures;
  std::optional<std::string> scenario, seeds, format, level, trim, threads, by;
  bool ranked = false, skip_bad = false;
};

CompareOptions options_of(const CompareFlags& flags) {
  CompareOptions o;
  o.figures = figure_names(flags.figures);
  if (flags.level) o.level = number_within("--level", *flags.level, 0.5, 0.9999);
  if (flags.trim) o.trim = number_within("--trim", *flags.trim, 0, 0.45);
  return o;
}

/// Policies of one scenario on the same seeds.
class PolicyRuns {
 public:
  explicit PolicyRuns(const CompareFlags& flags) : flags_(flags), base_(scenario_tree_of(*flags.scenario)) {
    for (const std::string& assignment : flags.sets) apply_override(base_, assignment);
    if (flags.trim && number_within("--trim", *flags.trim, 0, 0.45) > 0)
      set_from_flag(base_, "metrics.trim", "--trim", *flags.trim);
    set_skip_bad(base_, flags.skip_bad);
    policies_ = flags.what;
    if (policies_.empty()) policies_ = check_scenario(base_).policy.names;
    runs_.keep_failures(Simulations::Kept::kSimulations, is_interrupted);
    seeds_ = flags.seeds ? whole_number("--seeds", *flags.seeds, 1, kMostCompareSeeds) : kUsualSeeds;
  }

  /// Two seeds first: where they make no difference, because nothing is drawn, one run says all.
  std::vector<Variant> run() {
    notice_interrupts();
    ask(std::min<std::int64_t>(seeds_, 2));
    simulate();
    if (seeds_ > 1 && seeds_make_no_difference()) {
      report_note("nothing is drawn at random here, so that every seed gives the same run: one is compared");
      seeds_ = 1;
    } else if (seeds_ > 2) {
      ask(seeds_);
      simulate();
    }
    return variants();
  }

 private:
  void ask(std::int64_t seeds) {
    for (std::int64_t seed = 1; seed <= seeds; ++seed)
      for (std::size_t p = 0; p < policies_.size(); ++p) runs_.add(key(p, seed), request(p, seed));
  }

  static std::string key(std::size_t policy, std::int64_t seed) { return fmt::format("{} {}", policy, seed); }

  RunRequest request(std::size_t p, std::int64_t seed) const {
    Value tree = base_;
    set_policies(tree, {policies_[p]});
    set_value(tree, "seed", Value(seed), "--seeds");
    RunRequest r;
    r.label = fmt::format("{}, seed {}", policies_[p], seed);
    r.scenario = check_scenario(tree);
    r.jobs = seed == 1;  // for one run alone
    return r;
  }

  void simulate() {
    Progress bar("compare", "runs", progress_on_stderr());
    PoolOptions options;
    options.workers = threads_of("--jobs", flags_.threads);
    options.tick = [&](std::size_t done) {
      stop_if_interrupted();
      bar.update(static_cast<std::int64_t>(done), std::ssize(runs_));
    };
    runs_.run(options);
  }

  const RunOutcome& outcome(std::size_t p, std::int64_t seed) { return *runs_.outcome(runs_.add(key(p, seed), {})); }

  /// Further lines name the run.
  static std::string said_first(const std::string& error) { return error.substr(0, error.find('\n')); }

  bool seeds_make_no_difference() {
    for (std::size_t p = 0; p < policies_.size(); ++p) {
      const RunOutcome &first = outcome(p, 1), &second = outcome(p, 2);
      if (said_first(first.error) != said_first(second.error)) return false;
      if (!first.error.empty()) continue;
      const Value *one = first.summary.find("fingerprint"), *two = second.summary.find("fingerprint");
      if (one == nullptr || two == nullptr || *one != *two) return false;
    }
    return true;
  }

  std::vector<Variant> variants() {
    std::vector<Variant> out;
    std::vector<std::string> said;
    for (std::size_t p = 0; p < policies_.size(); ++p) {
      Variant v{name(p), {}};
      for (std::int64_t seed = 1; seed <= seeds_; ++seed) {
        const RunOutcome& o = outcome(p, seed);
        RunRecord r;
        r.where = fmt::format("{}, seed {}", policies_[p], seed);
        if (!o.error.empty()) {
          v.failed.push_back({r.where, o.error, seed});
          continue;
        }
        r.seed = seed;
        r.summary = o.summary;
        r.settings = Value::table();
        if (seeds_ == 1) r.jobs = read_jobs(o.jobs, r.where);
        v.runs.push_back(std::move(r));
        for (const std::string& w : o.warnings)
          if (std::ranges::find(said, w) == said.end()) report_warning(said.emplace_back(w));
      }
      out.push_back(std::move(v));
    }
    return out;
  }

  /// Without folder and ending, where that tells it from the others.
  std::string name(std::size_t p) const {
    const std::string stem = fs::path(policies_[p]).stem().string();
    for (std::size_t q = 0; q < policies_.size(); ++q)
      if (q != p && fs::path(policies_[q]).stem().string() == stem) return policies_[p];
    return stem;
  }

  const CompareFlags& flags_;
  Value base_;
  std::vector<std::string> policies_;
  std::int64_t seeds_ = 1;
  Simulations runs_;
};

std::vector<Variant> variants_of_folders(const std::vector<std::string>& paths) {
  std::vector<RunRecord> runs;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      const bool file = fs::exists(path);
      throw InputError({path, 0, file ? "is not a run folder" : "does not exist",
                        "a folder that `coslice run --out` wrote", "add --scenario FILE to compare policies"});
    }
    for (const std::string& folder : run_folders(path)) runs.push_back(read_run(folder));
  }
  return variants_of(std::move(runs));
}

/// Keys that are another one in each run, by what is compared.
void check_set_keys(const CompareFlags& flags) {
  for (const std::string& assignment : flags.sets) {
    const std::string key = assignment.substr(0, assignment.find('='));
    if (key == "seed")
      throw InputError({"--set " + assignment, 0, "has no effect: each policy runs with the seeds from 1 on",
                        "--seeds N", "a campaign has any seeds: `coslice sweep`"});
    if (!flags.what.empty() && (key == "policy" || key == "policy.name"))
      throw InputError({"--set " + assignment, 0, "has no effect: the policies that are named are compared",
                        "one more of them, or none"});
  }
}

/// Flags that only make sense beside others.
void check_flags(const CompareFlags& flags, bool campaigns) {
  if (flags.scenario) check_set_keys(flags);
  if (!flags.scenario) {
    for (const auto& [name, given] :
         {std::pair{"--seeds", flags.seeds.has_value()}, std::pair{"--set", !flags.sets.empty()}})
      if (given) throw InputError({name, 0, "nothing is simulated without a scenario", "--scenario FILE beside it"});
  }
  if (flags.ranked && (!campaigns || flags.what.size() != 1 || flags.by))
    throw InputError({"--ranked", 0, "ranks the points of one campaign", "the results of `coslice sweep` alone"});
  if (flags.by && !campaigns)
    throw InputError({"--by " + *flags.by, 0, "there are no axes but in the results of a campaign"});
}

std::vector<VariantGroup> groups_from(const CompareFlags& flags) {
  const bool campaigns = !flags.scenario && !flags.what.empty() && std::ranges::all_of(flags.what, is_campaign_results);
  check_flags(flags, campaigns);
  if (campaigns) return campaign_groups(flags.what, flags.by);
  if (flags.scenario) return {{"", PolicyRuns(flags).run()}};
  if (flags.what.empty())
    throw InputError({"", 0, "nothing to compare was named",
                      "run folders, results of campaigns, or --scenario FILE and policies",
                      "see `coslice compare --help`"});
  return {{"", variants_of_folders(flags.what)}};
}

/// Of more places than this, a table each says less than one of all points.
constexpr std::size_t kMostPlaces = 4;

/// The points of a campaign, ranked; nothing where there is nothing to rank.
std::optional<VariantComparison> ranking_of(const CompareFlags& flags, const CompareOptions& options) {
  if (flags.scenario || flags.what.size() != 1 || flags.by || !is_campaign_results(flags.what.front())) return {};
  std::optional<std::vector<Variant>> points = campaign_points(flags.what.front());
  if (!points) return {};
  VariantComparison ranking = rank_points(std::move(*points), options);
  if (!ranking.refused.empty()) return {};
  return ranking;
}

void print_comparisons(const std::vector<VariantComparison>& all, const std::string& format) {
  if (format == "markdown") print(compare_markdown(all));
  else if (format == "latex") print(compare_latex(all));
  else if (format == "csv") print(compare_csv(all));
  else if (format == "json") print(compare_json(all));
  else print(compare_table(all, {wants_colour(stdout), terminal_width(stdout)}));
  if (format == "csv" || format == "latex") {
    if (const std::string failed = failures_text(all); !failed.empty()) report_warning(failed);
    for (const std::string& w : remarks_of(all).warnings) report_warning(w);
  }
}

/// For people the best of the points come first, and single places only where they are few; files have all.
void print_with_ranking(VariantComparison ranking, std::vector<VariantComparison> places, const std::string& format) {
  const bool for_people = format == "table" || format == "markdown";
  if (!for_people) {
    places.insert(places.begin(), std::move(ranking));
    print_comparisons(places, format);
    return;
  }
  print_comparisons({first_of_ranking(ranking)}, format);
  if (places.empty()) return;
  print("\n");
  if (places.size() <= kMostPlaces) print_comparisons(places, format);
  else
    print(fmt::format("{}--by AXIS has a table of all figures for each of {} places.\n",
                      format == "markdown" ? "- " : "", places.size()));
}

/// Of each place; nothing is compared where runs failed, but somewhere something must be.
std::vector<VariantComparison> comparisons_of(std::vector<VariantGroup> groups, const CompareOptions& options) {
  std::vector<VariantComparison> all;
  for (VariantGroup& group : groups) {
    all.push_back(compare_variants(std::move(group.variants), options));
    all.back().at = group.at;
  }
  if (std::ranges::all_of(all, [](const VariantComparison& c) { return !c.refused.empty(); })) {
    if (const std::string failed = failures_text(all); !failed.empty())
      throw SimulationError(failed + " Nothing is left to compare: " + all.front().refused);
    throw InputError({"", 0, all.front().refused, "two variants with runs of the same seed"});
  }
  return all;
}

int compare(const CompareFlags& flags) {
  const CompareOptions options = options_of(flags);
  const std::string format = word_of("--format", flags.format.value_or("table"), kCompareFormats);
  std::vector<VariantGroup> groups = groups_from(flags);
  // JSON has the ranking where it is asked for: programs read its list as that of the places.
  std::optional<VariantComparison> ranking;
  if (flags.ranked || (groups.size() > 1 && format != "json")) ranking = ranking_of(flags, options);
  if (flags.ranked && !ranking)
    throw InputError({flags.what.front(), 0,
                      "has no points to rank: no runs of several that ended well under the same "
                      "conditions and with the same seed"});
  std::vector<VariantComparison> places;
  if (!flags.ranked) places = comparisons_of(std::move(groups), options);
  const bool failed = !failures_text(places).empty() || (ranking && !failures_text(ranking->made).empty());
  if (ranking) print_with_ranking(std::move(*ranking), std::move(places), format);
  else print_comparisons(places, format);
  return failed ? kFailed : kDone;
}

}  // namespace

Command compare_command() {
  auto flags = std::make_shared<CompareFlags>();
  CompareFlags& f = *flags;
  Command c;
  c.summary = "say which of several is better, and what is chance";
  c.examples = {
      {"coslice compare easy conservative --scenario scenarios/quickstart.toml", "two policies on ten seeds"},
      {"coslice compare easy mine.lua fcfs --scenario s.toml --seeds 30", "each against the first"},
      {"coslice compare results/easy results/fcfs", "two run folders, job by job"},
      {"coslice compare runs/*", "runs of several policies and seeds, sorted out"},
      {"coslice compare loads.sqlite --by policy", "a campaign: the policies at each of its points"},
      {"coslice compare results --figure wait,wait.p95,slices.overhead_share", "other figures"},
      {"coslice compare results --format latex > table.tex", "for a paper"},
  };
  c.text =
      "Several runs of the same kind (the same scenario, policy and parameters) that differ in their seeds are taken "
      "together: the table has their mean, its confidence interval, and of how many seeds it is. Every kind is "
      "compared with the first: the "
      "difference is that of runs with the same seed, which have the same jobs, and its interval is much narrower than "
      "those of the two means. `noise` marks differences whose interval holds 0.\n\n"
      "One run each, of the same jobs, is compared job by job, in batches; the table says what that can tell. Policies "
      "are simulated here, on the scenario of --scenario with seeds 1 to N; a log without anything random gives one "
      "run each.\n\n"
      "Of a campaign with several axes, its points come first, ranked by the wait or by the first of --figure: the "
      "values of the axes that could be chosen, over all values of those of the workload and the machine. With more "
      "than four places the tables of single ones are printed with --by only; csv, latex and json always have them.\n\n"
      "The first and last jobs of each run are left out, as metrics.trim says (2 %), because the machine is empty "
      "then; --trim changes that. Runs that fail are counted, with the first error, and take those of the others of "
      "their "
      "seed with them; the exit status is then 1. A run whose queue grew from its beginning to its end is pointed out: "
      "its waits say "
      "how long it was.";
  c.arguments = {
      {"RUN|CAMPAIGN|POLICY",
       "Run folders, or results of `coslice sweep`, or with --scenario names and files of policies (default: "
       "those of the scenario).",
       &f.what,
       0,
       std::size_t(-1),
       {Completion::kFolders}}};
  c.options = {
      value("--scenario", "FILE", f.scenario, "A scenario or a trace to simulate the policies on.",
            {Completion::kFiles, {"toml", "swf", "swf.gz"}}),
      value("--seeds", "N", f.seeds, "Seeds 1 to N of the scenario (default 10)."),
      values("-s,--set", "KEY=VALUE", f.sets, "Sets a key of the scenario.", {Completion::kScenarioKeys}),
      skip_bad_flag(f.skip_bad),
      values(
          "-f,--figure", "NAME[,NAME...]", f.figures,
          fmt::format("What is compared: wait, response, slowdown (each also {}), utilization, queue, makespan, or the "
                      "path of a number in summary.json. Default: utilization, queue, wait, response, slowdown, and "
                      "energy.used and cost.total where they are known.",
                      statistic_endings())),
      value("--trim", "SHARE", f.trim, "Share of jobs left out at each end; 0 leaves out none."),
      value("--by", "AXIS", f.by,
            "Of a campaign: the axis whose values are compared (default: the policy, else the first that varies)."),
      flag("--ranked", f.ranked, "Of a campaign: the ranking of its points only."),
      value("--level", "P", f.level, "Level of all intervals (default 0.95)."),
      value("--format", "FORMAT", f.format, "table, markdown, csv, latex or json.",
            {Completion::kWords, kCompareFormats}),
      value("-j,--jobs", "N", f.threads, "Runs that are made at once (default: one for each processor)."),
  };
  c.run = [flags] { return compare(*flags); };
  return c;
}

}  // namespace coslice::cli

// coslice whatif: a site as it is beside the same site under other settings.
#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "cli/frame/stop_signals.h"
#include "cli/jobs/trace_flags.h"
#include "cli/site/site_folder.h"
#include "core/error.h"
#include "core/text.h"
#include "lab/compare/compare_output.h"
#include "lab/compare/compared_runs.h"
#include "lab/simulations.h"
#include "output/summary_json.h"
#include "report/markup.h"
#include "report/tables/terminal.h"
#include "runner/site_names.h"
#include "scenario/csv_columns.h"

namespace coslice::cli {
namespace {

constexpr std::int64_t kUsualPhases = 5;
const std::vector<std::string> kWhatifFormats = {"table", "markdown", "csv", "json"};

struct WhatifFlags {
  std::vector<std::string> site, sets, variants, figures;
  std::optional<std::string> runs, policy, format, window, threads;
  bool skip_bad = false;
};

/// A site with some settings changed; the first one has none.
struct SiteVariant {
  std::string name;
  std::vector<std::string> changes;  ///< KEY=VALUE
};

/// The parts between commas that begin a new KEY=VALUE: values may have commas themselves.
std::vector<std::string> assignments_of(const std::string& text) {
  std::vector<std::string> out;
  for (const std::string& part : split(text, ',')) {
    if (part.find('=') != std::string::npos || out.empty()) out.push_back(part);
    else out.back() += "," + part;
  }
  return out;
}

std::vector<SiteVariant> variants_of_flags(const WhatifFlags& f) {
  std::vector<SiteVariant> out = {{"as it is", {}}};
  if (!f.sets.empty()) {
    out.push_back({fmt::format("{}", fmt::join(f.sets, ", ")), f.sets});
  }
  for (const std::string& text : f.variants) {
    const std::size_t colon = text.find(':'), equals = text.find('=');
    if (colon == std::string::npos || colon == 0 || equals == std::string::npos || equals < colon)
      throw InputError({"--variant " + text, 0, "is not a variant", "NAME:KEY=VALUE,KEY=VALUE"});
    out.push_back({text.substr(0, colon), assignments_of(text.substr(colon + 1))});
  }
  for (auto v = out.begin(); v != out.end(); ++v)
    if (std::any_of(out.begin(), v, [&](const SiteVariant& other) { return other.name == v->name; }))
      throw InputError({"--variant " + v->name, 0, fmt::format("there are two variants '{}'", v->name),
                        "a name of its own for each", "'as it is' is the site without changes"});
  if (out.size() == 1) throw InputError({"", 0, "nothing is changed", "--set KEY=VALUE or --variant NAME:KEY=VALUE"});
  return out;
}

/// Mean waits of one variant by partition and account, over its runs.
using WaitsBy = std::map<std::pair<std::string, std::string>, std::pair<double, std::size_t>>;

void add_waits(const std::string& csv, const SiteNames& names, WaitsBy& into) {
  const CsvColumns jobs(csv);
  const auto wait = jobs.column("waiting_time");
  for (const auto& by : {std::pair<std::string, std::string>{"partition", "ran_in"},
                         std::pair<std::string, std::string>{names.word("group"), "group"}}) {
    const auto column = jobs.column(by.second);
    if (!wait || !column) continue;
    jobs.each_row([&](const std::vector<std::string>& row) {
      if (row.size() <= std::max(*wait, *column) || row[*wait].empty() || row[*column].empty() ||
          row[*column] == "none")
        return;
      auto& [sum, count] = into[{by.first, names.of(by.second, row[*column])}];
      sum += std::strtod(row[*wait].c_str(), nullptr);
      ++count;
    });
  }
}

class Whatif {
 public:
  explicit Whatif(const WhatifFlags& f) : flags_(f), variants_(variants_of_flags(f)) {
    base_ = scenario_tree_of(site_scenario(f.site.front()));
    if (f.policy) set_policies(base_, {*f.policy});
    set_skip_bad(base_, f.skip_bad);
    for (const SiteVariant& v : variants_) {
      trees_.push_back(base_);
      for (const std::string& change : v.changes)
        for (const std::string& said : apply_site_override(trees_.back(), change))
          follows_.push_back(fmt::format("{}: {}.", v.name, said));
    }
    runs_.keep_failures(Simulations::Kept::kSimulations, is_interrupted);
    figures_ = figure_names(f.figures);
    phases_ = f.runs ? whole_number("--runs", *f.runs, 1, 10'000) : kUsualPhases;
  }

  void simulate() {
    for (std::int64_t phase = 1; phase <= phases_; ++phase)
      for (std::size_t v = 0; v != variants_.size(); ++v) runs_.add(key(v, phase), request(v, phase));
    Progress bar("whatif", "runs", progress_on_stderr());
    PoolOptions options;
    options.workers = threads_of("--jobs", flags_.threads);
    options.tick = [&](std::size_t done) {
      stop_if_interrupted();
      bar.update(static_cast<std::int64_t>(done), std::ssize(runs_));
    };
    runs_.run(options);
  }

  VariantComparison compared() {
    std::vector<Variant> out;
    std::vector<std::string> said;
    for (std::size_t v = 0; v != variants_.size(); ++v) {
      Variant variant{variants_[v].name, {}};
      for (std::int64_t phase = 1; phase <= phases_; ++phase) {
        const RunOutcome& o = outcome(v, phase);
        RunRecord r;
        r.where = fmt::format("{}, run {}", variant.name, phase);
        r.seed = phase;
        if (!o.error.empty()) {
          variant.failed.push_back({r.where, o.error, phase});
          continue;
        }
        r.summary = o.summary;
        r.settings = Value::table();
        r.settings.set("machine", machine_of(v));
        r.fetch_jobs = [&o, where = r.where] { return read_jobs(o.jobs, where); };
        variant.runs.push_back(std::move(r));
        for (const std::string& w : o.warnings)
          if (std::ranges::find(said, w) == said.end()) report_warning(said.emplace_back(w));
      }
      out.push_back(std::move(variant));
    }
    CompareOptions options;
    options.figures = figures_;
    options.unit = Unit::kPhase;
    VariantComparison c = compare_variants(std::move(out), options);
    c.notes.insert(c.notes.begin(), follows_.begin(), follows_.end());
    if (const std::string failed = failures_text(c.made); !failed.empty() && !c.refused.empty())
      throw SimulationError(failed + " Nothing is left to compare: " + c.refused);
    return c;
  }

  /// Means of other jobs compare little: warns of each variant that does not run as many jobs as the site does.
  void warn_of_other_jobs() {
    if (!ended_well(1) || left_out(0)) return;
    const std::int64_t site = jobs_that_ran(0);
    for (std::size_t v = 1; v != variants_.size(); ++v)
      if (const std::int64_t ran = jobs_that_ran(v); ran != site && !left_out(v))
        report_warning(fmt::format("variant '{}' runs {}, and '{}' {}: their means are not of the same jobs",
                                   variants_[v].name, counted(ran, "job"), variants_[0].name, grouped(site)));
  }

  /// By variant.
  std::vector<WaitsBy> waits() {
    std::vector<WaitsBy> out(variants_.size());
    const SiteNames names(check_scenario(base_).workload.trace);
    for (std::int64_t phase = 1; phase <= phases_; ++phase)
      for (std::size_t v = 0; ended_well(phase) && v != variants_.size(); ++v)
        if (!left_out(v)) add_waits(outcome(v, phase).jobs, names, out[v]);
    return out;
  }

  const std::vector<SiteVariant>& variants() const { return variants_; }
  const std::vector<std::string>& follows() const { return follows_; }

  /// Of what the intervals are, where all runs have the same jobs; "" where there are none or jobs are drawn.
  std::string of_the_same_jobs() const {
    const WorkloadSpec workload = check_scenario(base_).workload;
    if (phases_ == 1 || !workload.generator.empty() || !workload.script.empty()) return "";
    return fmt::format(
        "All {} runs of a variant are of the same jobs, with other phases of the scheduler's cycles and seeds: the "
        "intervals say what these may change, not what other jobs would. --window, or another dump, gives other jobs.",
        phases_);
  }

 private:
  /// Whether all of its runs failed: it is not compared, and the others are without it.
  bool left_out(std::size_t v) {
    for (std::int64_t phase = 1; phase <= phases_; ++phase)
      if (outcome(v, phase).error.empty()) return false;
    return true;
  }

  /// Whether all variants that are compared have it.
  bool ended_well(std::int64_t phase) {
    for (std::size_t v = 0; v != variants_.size(); ++v)
      if (!outcome(v, phase).error.empty() && !left_out(v)) return false;
    return true;
  }

  static std::string key(std::size_t v, std::int64_t phase) { return fmt::format("{} {}", v, phase); }
  std::int64_t jobs_that_ran(std::size_t v) {
    const Value* const n = outcome(v, 1).summary.find("nb_jobs_finished");
    return n != nullptr && n->integer() != nullptr ? *n->integer() : 0;
  }
  const RunOutcome& outcome(std::size_t v, std::int64_t phase) { return *runs_.outcome(runs_.add(key(v, phase), {})); }

  /// The machine as the variant's settings say it.
  Value machine_of(std::size_t v) const {
    const Value* const machine = trees_[v].find("machine");
    return machine == nullptr ? Value::table() : *machine;
  }

  /// The first run is the site's own; others have the same other phases for all variants.
  RunRequest request(std::size_t v, std::int64_t phase) const {
    Value tree = trees_[v];
    if (flags_.window) set_from_flag(tree, "workload.window", "--window", *flags_.window);
    RunRequest r;
    r.label = fmt::format("{}, run {}", variants_[v].name, phase);
    r.scenario = check_scenario(tree);
    if (r.scenario.policy.names.size() != 1)
      throw InputError(
          {r.scenario.file, 0, "names several policies", "one, by which the site schedules", "--policy NAME"});
    RandomStream random = RandomKey(1, "whatif").stream(static_cast<std::uint64_t>(phase));
    if (phase > 1) vary_phases(r.scenario, random);
    r.scenario.seed += phase - 1;
    r.jobs = true;
    return r;
  }

  const WhatifFlags& flags_;
  Value base_;
  std::vector<SiteVariant> variants_;
  std::vector<Value> trees_;          ///< beside the variants
  std::vector<std::string> follows_;  ///< what has changed by their changes, besides
  std::vector<std::string> figures_;
  std::int64_t phases_ = 1;
  Simulations runs_;
};

double mean_of(const WaitsBy& waits, const std::pair<std::string, std::string>& group) {
  const auto found = waits.find(group);
  return found == waits.end() ? 0 : found->second.first / static_cast<double>(found->second.second);
}

std::string waits_table(const std::vector<SiteVariant>& variants, const std::vector<WaitsBy>& waits, bool colour) {
  std::vector<Column> columns = {{"jobs of", false, "", true}, {"", false}};
  for (const SiteVariant& v : variants) columns.push_back({v.name, true, "mean wait, s"});
  Table table(std::move(columns));
  for (const auto& [group, said] : waits.front()) {
    std::vector<Cell> row = {group.first, group.second};
    for (const WaitsBy& w : waits) row.emplace_back(w.empty() ? "-" : grouped(mean_of(w, group), 0));
    table.add_row(std::move(row));
  }
  return table.render(TableStyle::kBox, colour);
}

std::string whatif_json(const VariantComparison& c, const std::vector<SiteVariant>& variants,
                        const std::vector<WaitsBy>& waits, const std::string& same_jobs) {
  Value out = Value::table();
  out.set("comparison", value_from_json(compare_json({c})));
  Value::List groups;
  for (const auto& [group, said] : waits.front()) {
    Value v = Value::table({{"by", group.first}, {"value", group.second}});
    Value means = Value::table();
    for (std::size_t i = 0; i != variants.size(); ++i)
      if (!waits[i].empty()) means.set(variants[i].name, mean_of(waits[i], group));
    v.set("mean_wait", std::move(means));
    groups.push_back(std::move(v));
  }
  out.set("waits", std::move(groups));
  if (!same_jobs.empty()) out.set("note", same_jobs);
  return json_from_value(out) + "\n";
}

int whatif(const WhatifFlags& f) {
  const std::string format = word_of("--format", f.format.value_or("table"), kWhatifFormats);
  Whatif runs(f);
  notice_interrupts();
  runs.simulate();
  const VariantComparison c = runs.compared();
  runs.warn_of_other_jobs();
  const std::string same_jobs = runs.of_the_same_jobs();
  if (format == "json") {
    print(whatif_json(c, runs.variants(), runs.waits(), same_jobs));
  } else if (format == "csv") {
    print(compare_csv({c}));
  } else if (format == "markdown") {
    for (const std::string& line : compare_lines(c)) print("- " + printable(line) + "\n");
    print("\n" + compare_markdown({c}));
    if (!same_jobs.empty()) print("\n" + same_jobs + "\n");
  } else {
    for (const std::string& line : compare_lines(c)) print(printable(line) + "\n");
    print("\n");
    print(compare_table({c}, {wants_colour(stdout), terminal_width(stdout)}));
    print("\n" + waits_table(runs.variants(), runs.waits(), wants_colour(stdout)));
    if (!same_jobs.empty()) print("\n" + wrapped(same_jobs, text_width(stdout)) + "\n");
  }
  const std::string failed = failures_text(std::vector<VariantComparison>{c});
  if (format == "csv" && !failed.empty()) report_warning(failed);
  for (const std::string& said : runs.follows())
    if (format == "csv") report_note(said);
  return failed.empty() ? kDone : kFailed;
}

}  // namespace

Command whatif_command() {
  auto flags = std::make_shared<WhatifFlags>();
  WhatifFlags& f = *flags;
  Command c;
  c.summary = "put a site beside the same site under other settings";
  c.examples = {
      {"coslice whatif site --set bf_interval=60", "a parameter of its policy, under Slurm's name"},
      {"coslice whatif site --variant more:nodes.c.count=10 --variant day:partitions.batch.max_time=86400",
       "more nodes, or shorter jobs"},
      {"coslice whatif site --set PriorityWeightAge=100000 --set PriorityWeightFairshare=0 --runs 20", "both at once"},
      {"coslice whatif site --variant easy:policy.name=easy", "another policy"},
  };
  c.text =
      "All --set together are one variant, each --variant is another; KEY is a key of the scenario, a parameter "
      "of its policy, or nodes.NAME.KEY and partitions.NAME.KEY of the machine. A kind that gets more nodes has "
      "them in the partitions that have all of it, and at its switch if that has all; nodes that are gone are gone "
      "from "
      "partitions, switches, reservations and outages. A line says so.\n\n"
      "Each variant is run several times, with other phases of the scheduler's cycles, because the order of jobs "
      "depends on them: differences are those of runs with the same phases, as in `coslice compare`. The jobs of "
      "a trace are the same in all runs, so the intervals do not say what other jobs would change: --window "
      "chooses others. A line of each variant comes first: what becomes of the mean wait, or of the first figure "
      "where --figure does not name it, whether that may be chance, and about how many runs would tell. Below "
      "stand mean waits by partition and account. Runs that fail are counted, with the first error, and take those of "
      "the others with the same phases with them; the exit status is then 1.";
  c.arguments = {
      {"SITE", "A folder that `coslice import` wrote, or a scenario.", &f.site, 1, 1, {Completion::kFolders}}};
  c.options = {
      values("-s,--set", "KEY=VALUE", f.sets, "What is changed; all of them at once.", {Completion::kScenarioKeys}),
      skip_bad_flag(f.skip_bad),
      values("--variant", "NAME:KEY=VALUE[,...]", f.variants, "Another variant."),
      value("--runs", "N", f.runs, "Runs of each variant, with other phases and seeds (default 5)."),
      value("--window", "[FROM,TO]", f.window, "Only jobs that are submitted then, in seconds of the trace."),
      value("-p,--policy", "NAME", f.policy, "The policy of the site, instead of the scenario's.",
            {Completion::kPolicies}),
      values("-f,--figure", "NAME[,NAME...]", f.figures, "What is compared, as in `coslice compare`."),
      value("--format", "FORMAT", f.format, "table, markdown, csv or json.", {Completion::kWords, kWhatifFormats}),
      value("-j,--jobs", "N", f.threads, "Runs that are made at once (default: one for each processor)."),
  };
  c.run = [flags] { return whatif(*flags); };
  return c;
}

}  // namespace coslice::cli

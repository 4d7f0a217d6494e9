// coslice run: one scenario or trace, one policy or several side by side.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "batsim/outside_scheduler.h"
#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/heap.h"
#include "cli/frame/inputs.h"
#include "cli/frame/stop_signals.h"
#include "cli/jobs/trace_flags.h"
#include "core/error.h"
#include "core/text.h"
#include "metrics/event_summary.h"
#include "report/markup.h"
#include "report/tables/load_text.h"
#include "report/tables/summary_table.h"
#include "report/tables/terminal.h"
#include "runner/runner.h"
#include "runner/site_names.h"
#include "runner/write_run.h"
#include "scenario/build_info.h"
#include "scenario/machine/repetitions.h"

namespace coslice::cli {
namespace {

constexpr double kLeastShare = 0.01;  // of a run's time, for what is called by name

/// Where the time and memory of the host went (--profile): a stop watch for the phases of a run; each of the calls ends
/// the phase that is named.
class Profile {
 public:
  void loaded(const Runner& runner) {
    load_ = lap();
    jobs_ = runner.workload().jobs.size();
  }

  void simulated(const PolicyRun& run) {
    runs_.push_back(
        {run.policy.name, lap(), run.lua_seconds, run.result.events, run.result.passes, run.seconds_by_call});
  }

  void written() { write_ += lap(); }
  /// Notes that the simulation ended by an error or an interruption, after this many of its jobs.
  void ended_early(const PolicyRun& run, std::size_t done) {
    runs_.push_back({run.policy.name, lap(), run.lua_seconds, 0, 0, run.seconds_by_call, done});
  }

  /// Returns how long the last simulation took, in seconds.
  double last_seconds() const { return runs_.back().seconds; }
  std::string text() const {
    const auto jobs = static_cast<std::int64_t>(jobs_);
    std::string out = fmt::format("load      {:>8.3f} s  {}\n", load_, counted(jobs, "job"));
    for (const Run& r : runs_) out += text_of(r);
    out += fmt::format("write     {:>8.3f} s\n", write_);
    const std::int64_t peak = peak_memory_kb();
    return out + fmt::format("memory    {:>8.1f} MB at most, {} bytes a job", static_cast<double>(peak) / 1024,
                             grouped(1024 * peak / std::max<std::int64_t>(jobs, 1)));
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Run {
    std::string policy;
    double seconds, lua_seconds;
    std::uint64_t events, passes;
    std::vector<std::pair<std::string, double>> calls;
    std::optional<std::size_t> ended_after{};  ///< jobs, if it did not come to its end
  };
  std::string text_of(const Run& r) const {
    const std::string gap(22, ' ');
    std::string out = fmt::format("simulate  {:>8.3f} s  {}: {} of it in Lua\n", r.seconds, r.policy,
                                  percent(r.lua_seconds / r.seconds));
    for (const auto& [what, seconds] : r.calls)
      if (seconds >= kLeastShare * r.seconds)
        out += fmt::format("{}{} in {}\n", gap, percent(seconds / r.seconds), what);
    if (r.ended_after)
      return out + fmt::format("{}ended early, after {} of {}\n", gap,
                               grouped(static_cast<std::int64_t>(*r.ended_after)),
                               counted(static_cast<std::int64_t>(jobs_), "job"));
    const auto events = static_cast<double>(r.events), passes = static_cast<double>(r.passes);
    out += fmt::format("{}{} events, {} a second\n", gap, grouped(events, 0), readable(events / r.seconds));
    return out + fmt::format("{}{} passes, {} us each\n", gap, grouped(passes, 0), readable(1e6 * r.seconds / passes));
  }

  /// Returns seconds since the last call.
  double lap() {
    const Clock::time_point now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }

  Clock::time_point last_ = Clock::now();
  double load_ = 0, write_ = 0;
  std::size_t jobs_ = 0;
  std::vector<Run> runs_;
};

struct RunFlags {
  std::vector<std::string> input, policies, sets;
  std::optional<std::string> seed, nodes, load, out, scheduler, scheduler_timeout, scheduler_config;
  bool json = false, quiet = false, profile = false, skip_bad = false, scheduler_profiles = false;
};

/// A scheduler outside of the program that decides; nothing: policies do.
std::optional<batsim::SchedulerOptions> outside_scheduler(const RunFlags& flags) {
  if (!flags.scheduler) {
    for (const auto& [flag, text] : {std::pair("--scheduler-timeout", &flags.scheduler_timeout),
                                     std::pair("--scheduler-config", &flags.scheduler_config)})
      if (*text) throw InputError({flag, 0, "has no effect without --scheduler"});
    if (flags.scheduler_profiles) throw InputError({"--scheduler-profiles", 0, "has no effect without --scheduler"});
    return {};
  }
  batsim::SchedulerOptions options;
  options.given = *flags.scheduler;
  if (trimmed(options.given).empty()) throw InputError({"--scheduler", 0, "names no scheduler", "a command"});
  if (flags.scheduler_timeout) options.timeout = to_seconds(span_of("--scheduler-timeout", *flags.scheduler_timeout));
  if (flags.scheduler_config) options.config = *flags.scheduler_config;
  options.profiles = flags.scheduler_profiles;
  options.check = stop_if_interrupted;
  return options;
}

/// Those of --policy, and last the scheduler outside.
std::vector<std::string> names_beside(const batsim::SchedulerOptions& outside, const RunFlags& flags) {
  std::vector<std::string> names = flags.policies.empty() ? std::vector<std::string>{} : policy_names(flags.policies);
  if (std::ranges::find(names, outside.name()) != names.end())
    throw InputError(
        {"--scheduler", 0, fmt::format("the scheduler is called '{}', as a policy of --policy", outside.name())});
  names.push_back(outside.name());
  return names;
}

Scenario scenario_from(const RunFlags& flags) {
  Value tree = scenario_tree_of(flags.input.front());
  for (const std::string& assignment : flags.sets) apply_override(tree, assignment);
  if (const auto outside = outside_scheduler(flags)) set_policies(tree, names_beside(*outside, flags));
  else if (!flags.policies.empty()) set_policies(tree, flags.policies);
  if (flags.seed) set_from_flag(tree, "seed", "--seed", *flags.seed);
  if (flags.nodes) set_count_from_flag(tree, "machine.nodes", "--nodes", *flags.nodes);
  if (flags.load) set_from_flag(tree, "workload.target_load", "--load", *flags.load);
  set_skip_bad(tree, flags.skip_bad);
  Scenario scenario = check_scenario(tree);
  if (flags.out) scenario.output.dir = *flags.out;
  return scenario;
}

/// The runs of one scenario, shown and written as they come.
class RunSession {
 public:
  explicit RunSession(const RunFlags& flags) : flags_(flags), outside_(outside_scheduler(flags)) {}

  int run() {
    Scenario scenario = scenario_from(flags_);
    prepare_heap(scenario.workload.trace);
    std::vector<GivenPolicy> given;
    if (outside_) given.push_back(batsim::policy_of(*outside_));
    Runner runner(std::move(scenario), std::move(given));
    profile_.loaded(runner);
    for (const std::string& w : runner.warnings()) report_warning(w);
    notice_interrupts();
    std::unique_ptr<RunWriter> writer;
    const std::string& out = runner.scenario().output.dir;
    if (flags_.out || !out.empty()) writer = std::make_unique<RunWriter>(runner, out);
    for (std::size_t i = 0; i < runner.policies(); ++i) one(runner, i, writer.get());
    stop_if_interrupted();
    if (writer) writer->commit();
    show(runner);
    finish_output();
    for (const std::string& w : behind_) report_warning(w);
    if (flags_.profile) report_note(profile_.text());
    return kDone;
  }

 private:
  void one(const Runner& runner, std::size_t i, RunWriter* writer) {
    const PolicyRun run = simulate(runner, i,
                                   writer != nullptr || flags_.json ? SummaryUse::kAll
                                   : flags_.quiet                   ? SummaryUse::kNone
                                                                    : SummaryUse::kTable);
    const std::string who = runner.policies() > 1 ? run.policy.name + ": " : "";
    for (const std::string& w : late_reservation_warnings(run.result)) report_warning(who + w);
    for (const std::string& w : blocked_warnings(run.result)) report_warning(who + w);
    for (const std::string& w : repetition_warnings(runner.scenario(), run.result)) report_warning(who + w);
    const std::string behind = flags_.quiet ? "" : fell_behind_text(run.result, runner.scenario().metrics.trim);
    if (!behind.empty()) behind_.push_back(who + behind);
    Value environment = environment_value();
    environment.set("simulation_seconds", profile_.last_seconds());
    if (writer) writer->add(i, run, environment);
    profile_.written();
    if (flags_.quiet && !flags_.json) return;
    if (flags_.json) documents_.push_back(run_summary_json(runner, i, run, environment));
    summaries_.push_back({run.policy.name, run.summary});
    SiteNames(runner.names()).name_accounts(summaries_.back());
    if (run.result.processes) processes_.push_back(process_report(run.policy.name, run.result));
    if (is_terminal(stdout) && !flags_.json) lines_.push_back(sparklines(run));
  }

  PolicyRun simulate(const Runner& runner, std::size_t i, SummaryUse summary) {
    ProgressOptions look = progress_on_stderr();
    look.enabled = look.enabled && !(look.lines && flags_.quiet);
    Progress bar(runner.policy(i).name, "jobs", look);
    RunCallbacks callbacks;
    std::size_t ended = 0;
    callbacks.time_lua = flags_.profile;
    callbacks.summary = summary;
    callbacks.progress = [&](std::size_t done, std::size_t jobs) {
      ended = done;
      stop_if_interrupted();
      bar.update(static_cast<std::int64_t>(done), static_cast<std::int64_t>(jobs));
    };
    callbacks.print = [&](std::string_view line) {
      bar.clear();
      report_note(line);
    };
    callbacks.ended_early = [&](const PolicyRun& run) {
      bar.clear();
      profile_.ended_early(run, ended);
      if (flags_.profile) report_note(profile_.text());
    };
    const bool outside = outside_ && i + 1 == runner.policies();
    PolicyRun run = outside ? batsim::simulate(runner, i, *outside_, callbacks) : runner.run(i, callbacks);
    profile_.simulated(run);
    return run;
  }

  static std::string sparklines(const PolicyRun& run) {
    return run_sparklines(run.result, run.summary, static_cast<int>(text_width(stdout)), wants_colour(stdout));
  }

  /// What all policies had to do.
  static std::string workload_lines(const Runner& runner) {
    const std::string load = offered_text(offered_loads(runner.machine(), runner.workload()), runner.machine(),
                                          runner.scenario().engine.processes_per_node);
    std::string out = "load        " + (load.empty() ? "all jobs at once" : load) + "\n";
    if (!runner.dates().empty()) out += fmt::format("submitted   {}\n", runner.dates());
    return out;
  }

  void show(const Runner& runner) const {
    if (flags_.json) print(join_documents(documents_));
    if (flags_.json || flags_.quiet) return;
    print(workload_lines(runner));
    if (summaries_.size() > 1) print("\n");
    SummaryTableOptions options;
    options.colour = wants_colour(stdout);
    options.width = terminal_width(stdout);
    print(summary_table(summaries_, options));
    const std::string waits = group_waits_table(summaries_, options);
    if (!waits.empty()) print("\n" + waits);
    if (!processes_.empty()) print("\n" + process_table(processes_, options.style, options.colour));
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (lines_.size() > 1) print("\n" + summaries_[i].name);
      print("\n" + lines_[i]);
    }
  }

  const RunFlags& flags_;
  std::optional<batsim::SchedulerOptions> outside_;
  Profile profile_;
  std::vector<NamedSummary> summaries_;
  std::vector<ProcessReport> processes_;
  std::vector<std::string> documents_, lines_;
  std::vector<std::string> behind_;  ///< what is said of runs in which the machine fell behind, after the results
};

}  // namespace

Command run_command() {
  auto flags = std::make_shared<RunFlags>();
  RunFlags& f = *flags;
  Command c;
  c.summary = "simulate a scenario or a trace and print the results";
  c.examples = {
      {"coslice run scenarios/quickstart.toml", "what the scenario says"},
      {"coslice run trace.swf.gz", "a trace on its own machine, under EASY"},
      {"coslice run trace.swf --policy fcfs,easy,mine.lua", "three policies side by side"},
      {"coslice run trace.swf --nodes 64 --set policy.params.depth=50", "another machine, another parameter"},
      {"coslice run s.toml --seed 7 --out results/7", "keep job list, schedule, timeline, summary"},
      {"coslice run results/7/scenario.toml", "the very same run again"},
      {"coslice run s.toml --json | jq .utilization", "for machines"},
      {"coslice run s.toml --scheduler 'batsched -v easy_bf -s {endpoint}'", "a scheduler that was written for Batsim"},
  };
  c.text =
      "A bare trace is a scenario with that trace and defaults for everything else: the machine is the one that the "
      "trace's header describes, the policy is `easy`. Flags override the scenario: --policy, --seed, --nodes, --load "
      "and --out set policy.name, seed, machine.nodes, workload.target_load and output.dir; --set reaches every other "
      "key, also those that choose jobs: workload.keep.users=[3,4], workload.drop.queues=0, "
      "workload.keep.hours=[8,18].\n\n"
      "The offered load is what jobs ask for times their run times, over what the machine has from the first "
      "submission to the last: of its cores, and where nodes differ of the scarcest resource (cores, memory, GPUs, a "
      "type of these, licences), with the others behind it. Where the queue grew to the end, a warning says so. Of "
      "logs that say when they begin, the dates of both are shown, in local time of the log's begin.\n\n"
      "Nothing is written unless --out or output.dir names a folder. It then appears whole, when everything is done: "
      "jobs.csv, schedule.swf, timeline.csv, summary.json and the resolved scenario.toml, which gives the same results "
      "again. An earlier run's folder is replaced; a folder with anything else in it is refused. With several "
      "policies, each gets a folder of its own inside, named after it, beside a summary.json of all.\n\n"
      "With --scheduler, a program outside decides, over Batsim's protocol (version 4: JSON over ZeroMQ), beside the "
      "policies of --policy, if there are some. The command is run by the shell; {endpoint} in it stands for an "
      "endpoint of its own, at which it has to listen. Without that, it has to listen at tcp://localhost:28000. What "
      "it may not do, and no answer in time, end the run with status 2, and nothing is written.";
  c.arguments = {{"SCENARIO.toml|TRACE.swf[.gz]",
                  "A scenario, or a trace in the Standard Workload Format.",
                  &f.input,
                  1,
                  1,
                  {Completion::kFiles, {"toml", "swf", "swf.gz"}}}};
  c.options = {
      values("-p,--policy", "FILE|NAME[,NAME...]", f.policies,
             "The policies; `coslice policies` lists names. Several run side by side.", {Completion::kPolicies}),
      values("-s,--set", "KEY=VALUE", f.sets,
             "Sets a key of the scenario, e.g. engine.at_limit=extend. The value is read as TOML, else as a bare text; "
             "a whole table that is set to false is left out: power=false.",
             {Completion::kScenarioKeys}),
      value("--seed", "N", f.seed, "Seed of all random numbers (default 1)."),
      value("--nodes", "N", f.nodes, "Nodes of the machine."),
      value("--load", "X", f.load, "Offered load: presses the arrivals together or pulls them apart."),
      value("--scheduler", "COMMAND|ENDPOINT", f.scheduler,
            "A scheduler that speaks Batsim's protocol decides: a command that starts it, or where one waits, "
            "tcp://ADDRESS:PORT or ipc://PATH."),
      value("--scheduler-timeout", "TIME", f.scheduler_timeout,
            "How long it may take for an answer, and until it listens (default 60 s)."),
      value("--scheduler-config", "TEXT", f.scheduler_config, "What it is told as sched-config when the run begins."),
      flag("--scheduler-profiles", f.scheduler_profiles,
           "It is told a profile with each job: of the log's jobs a delay as long as their limits."),
      value("-o,--out", "DIR", f.out, "Writes the results into this folder.", {Completion::kFolders}),
      skip_bad_flag(f.skip_bad),
      flag("--json", f.json, "Prints the summary as JSON, of several policies a list, and nothing else."),
      flag("-q,--quiet", f.quiet, "Prints no table."),
      flag("--profile", f.profile, "Says on standard error where the time went, and how much memory was taken."),
  };
  c.run = [flags] { return RunSession(*flags).run(); };
  return c;
}

}  // namespace coslice::cli

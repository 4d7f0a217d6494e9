// coslice drive: a policy decides which jobs of a real Slurm start.
#include <time.h>

#include <cstdio>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "cli/frame/stop_signals.h"
#include "cli/site/choice_text.h"
#include "core/error.h"
#include "core/text.h"
#include "drive/driver.h"
#include "drive/policy_chooser.h"
#include "drive/present_simulation.h"
#include "output/summary_json.h"
#include "report/markup.h"

namespace coslice::cli {
namespace {

/// A choice takes about a second, and what it says holds for longer than that.
constexpr Duration kShortestEvery = whole_seconds(10);
constexpr std::int64_t kFewestDraws = 6, kMostDraws = 10'000;

struct DriveFlags {
  std::optional<std::string> policy, site, comment, wckey, partition, user, account, interval, timeout, state;
  std::vector<std::string> set;
  bool dry_run = false, once = false, take_held = false, keep = false, recover = false, json = false;

  // Of --choose.
  std::vector<std::string> choose;
  std::optional<std::string> every, minimize, draws, budget, level, seed, history, threads;

  bool has_policy() const { return policy || site || !choose.empty(); }
};

/// What is said of choices means nothing without one.
void check_choice_flags(const DriveFlags& f) {
  const std::pair<const char*, bool> given[] = {
      {"--every", f.every.has_value()},     {"--minimize", f.minimize.has_value()}, {"--draws", f.draws.has_value()},
      {"--budget", f.budget.has_value()},   {"--level", f.level.has_value()},       {"--seed", f.seed.has_value()},
      {"--history", f.history.has_value()}, {"--jobs", f.threads.has_value()}};
  for (const auto& [flag, is_given] : given)
    if (is_given && f.choose.empty())
      throw InputError({flag, 0, "there is nothing to choose from", "--choose POLICY,POLICY beside it"});
  if (f.policy && !f.choose.empty())
    throw InputError({"--policy " + *f.policy, 0, "stands beside --choose", "one of the two",
                      "a drive begins with the first policy of --choose"});
}

drive::ChooserOptions chooser_options(const DriveFlags& f) {
  drive::ChooserOptions o;
  const Duration every = f.every ? span_of("--every", *f.every) : whole_seconds(o.every);
  if (every < kShortestEvery)
    throw InputError(
        {"--every " + *f.every, 0, "is too often", "10 s or more: a choice alone takes about a second", "--every 300"});
  o.every = every / whole_seconds(1);
  if (f.minimize) o.figure = *f.minimize;
  if (f.draws) o.draws = o.least_draws = whole_number("--draws", *f.draws, kFewestDraws, kMostDraws);
  if (f.budget) {
    o.budget = to_seconds(span_of("--budget", *f.budget)) * 1e6;
    if (o.budget <= 0) throw InputError({"--budget " + *f.budget, 0, "is nothing", "a time above 0: 1, 10, 1min"});
  }
  if (f.level) o.level = number_within("--level", *f.level, 0.5, 0.9999);
  if (f.seed) o.seed = static_cast<std::uint64_t>(whole_number("--seed", *f.seed, 0, INT64_MAX));
  o.workers = threads_of("--jobs", f.threads);
  return o;
}

drive::DriveOptions drive_options(const DriveFlags& f) {
  drive::DriveOptions o;
  o.filter = {f.comment, f.wckey, f.partition, f.user, f.account};
  for (const auto* said : {&f.comment, &f.wckey, &f.partition, &f.user, &f.account})
    if (*said && (*said)->empty()) throw InputError({"", 0, "a filter is empty", "what jobs have"});
  o.take_held = f.take_held;
  o.dry_run = f.dry_run;
  if (o.filter.empty() && f.has_policy())
    throw InputError({"coslice drive", 0, "is given no jobs",
                      "--only-comment, --wckey, --partition, --user or --account: all others are left alone"});
  if (!f.has_policy() && !f.recover)
    throw InputError({"--policy", 0, "is missing", "a policy, or --site with a folder that has one, or --choose"});
  return o;
}

/// What an earlier drive left behind is taken over on purpose, or by the next one of a series.
void check_ledger(const drive::Ledger& ledger, const DriveFlags& f, const drive::DriveOptions& options) {
  if (ledger.entries().empty()) return;
  const std::string jobs = counted(std::ssize(ledger.entries()), "job");
  const std::string state = f.state.value_or("");
  if (!f.recover && !f.once)
    throw InputError({state, 0, fmt::format("has {} of an earlier drive that did not give them back", jobs),
                      "--recover: with a policy to go on with them, without one to give them back"});
  if (!options.filter.empty() && ledger.filter() != options.filter.text())
    throw InputError({state, 0, fmt::format("has {} of {}", jobs, ledger.filter()),
                      fmt::format("the same jobs, not those of {}", options.filter.text())});
}

/// Prints what a drive does. Where the output is lost, that ends the drive, but not what it then gives back.
class DriveOutput {
 public:
  explicit DriveOutput(bool json) : json_(json) {}

  void order(std::string_view command, std::string_view why) {
    if (json_) line(Value::table({{"order", std::string(command)}, {"why", std::string(why)}}));
    else line(command, why);
  }
  void choice(const drive::QueueChoice& choice, const drive::QueueFigure& figure) {
    for (const drive::PolicyForecasts& f : choice.forecasts)
      if (!f.error.empty() && told_.insert(f.policy).second)
        report_warning(fmt::format("policy '{}' is left out: {}", printable(f.policy), f.error));
    if (json_) line(choice_value(choice, figure));
    else line(choice_words(choice), choice_reason(choice, figure));
  }

 private:
  void line(std::string_view what, std::string_view why) { put(fmt::format("{:<46}  # {}\n", what, why)); }
  void line(const Value& v) { put(json_from_value(v) + "\n"); }
  void put(const std::string& text) {
    if (lost_) return;
    print(text);
    lost_ = true;  // unless that works
    finish_output();
    lost_ = std::ferror(stdout) != 0;  // nobody reads it any more
    if (lost_) std::clearerr(stdout);
  }

  const bool json_;
  bool lost_ = false;
  std::set<std::string> told_;  ///< policies whose failure was told
};

void pause_for(Duration interval) {
  constexpr Duration kStep = std::chrono::milliseconds(100);
  for (Duration left = interval; left > Duration{0} && !is_interrupted(); left -= kStep) {
    const Duration step = std::min(left, kStep);
    const timespec pause{0, static_cast<long>(step.count() % 1'000'000'000)};
    nanosleep(&pause, nullptr);
  }
}

void run_ticks(drive::Driver& driver, const drive::Judge& judge, const DriveFlags& f, Duration interval) {
  for (bool first = true; !is_interrupted(); first = false) {
    bool understood = false;
    try {
      understood = driver.tick(judge);
    } catch (const InputError& e) {
      if (first) throw;
      report_warning(e.what());
    }
    if (first && !understood && (f.once || f.dry_run)) throw SimulationError("Slurm gave no answer; nothing was done");
    if (f.once) return;
    pause_for(interval);
  }
}

/// False if not all is known to be given back; it says so.
bool give_all_back(drive::Driver& driver, const std::string& state) {
  const drive::NotGivenBack left = driver.give_back();
  const auto jobs = [](std::size_t n) { return counted(static_cast<std::int64_t>(n), "job"); };
  if (left.failed > 0)
    report_error(fmt::format("{} could not be given back; they are in {}, for --recover", jobs(left.failed), state));
  if (left.unanswered > 0)
    report_error(
        fmt::format("{} given back, but Slurm may still carry out an order that it has not answered; they are in {}, "
                    "for --recover in 10 minutes",
                    jobs(left.unanswered), state));
  return left.failed == 0 && left.unanswered == 0 && !left.unsaved;
}

/// Who decides: one policy, or the one that is chosen.
class DriveJudge {
 public:
  DriveJudge(const DriveFlags& f, DriveOutput& output) {
    if (f.choose.empty()) {
      decider_ = drive::make_decider(f.policy, f.site, f.set);
      drive::check_policy(*decider_);
      judge_ = {decider_->name, [this](const drive::Situation& now) { return drive::decide(*decider_, now); }};
      return;
    }
    std::vector<drive::Decider> deciders = drive::make_deciders(listed_by(f.choose), f.site, f.set);
    for (const drive::Decider& d : deciders) drive::check_policy(d);
    chooser_.emplace(
        std::move(deciders), chooser_options(f),
        [this, &output](const drive::QueueChoice& choice) { output.choice(choice, chooser_->figure()); },
        stop_if_interrupted);
    if (f.history) chooser_->draw_from(record_of(*f.history));
    judge_ = {chooser_->name(), [this](const drive::Situation& now) {
                drive::Decision decision = chooser_->decide(now);
                judge_.name = chooser_->name();  // orders are told after that
                return decision;
              }};
  }
  DriveJudge(const DriveJudge&) = delete;
  DriveJudge& operator=(const DriveJudge&) = delete;

  const drive::Judge& judge() const { return judge_; }

 private:
  static RecordedWorkload record_of(const std::string& path) {
    require_file(path);
    return read_trace_with_waits(path);
  }

  std::optional<drive::Decider> decider_;
  std::optional<drive::PolicyChooser> chooser_;
  drive::Judge judge_;
};

int drive_slurm(DriveFlags& f) {
  check_choice_flags(f);
  drive::DriveOptions options = drive_options(f);
  options.stopping = is_interrupted;
  const Duration interval = span_of("--interval", f.interval.value_or("10"));
  const Duration timeout = span_of("--timeout", f.timeout.value_or("60"));
  if (!f.state) f.state = "coslice-drive.toml";
  DriveOutput output(f.json);
  std::optional<DriveJudge> judge;
  if (f.has_policy()) judge.emplace(f, output);
  drive::Ledger ledger(f.dry_run ? nullptr : std::make_unique<drive::LockedFile>(*f.state));
  check_ledger(ledger, f, options);
  if (!options.filter.empty()) ledger.set_filter(options.filter.text());
  survive_interrupts();
  drive::SystemCommands slurm(timeout);
  drive::Driver driver(
      slurm, ledger, options,
      {[&](std::string_view order, std::string_view why) { output.order(order, why); }, report_warning});
  if (!judge) return give_all_back(driver, *f.state) ? kDone : kFailed;
  const bool keep = f.keep || f.dry_run;
  try {
    run_ticks(driver, judge->judge(), f, interval);
  } catch (...) {
    const bool interrupted = is_interrupted();  // then it was the policy: how a drive ends
    const bool all = keep || give_all_back(driver, *f.state);
    if (!interrupted) throw;
    return all ? kDone : kFailed;
  }
  return keep || f.once || give_all_back(driver, *f.state) ? kDone : kFailed;
}

}  // namespace

Command drive_command() {
  auto flags = std::make_shared<DriveFlags>();
  DriveFlags& f = *flags;
  Command c;
  c.summary = "let a policy decide which jobs of a real Slurm start";
  c.examples = {
      {"coslice drive --policy easy --partition batch --dry-run --once", "what it would do now, and why"},
      {"coslice drive --policy mine.lua --only-comment drive --once",
       "jobs of --comment=drive; without --once until it is told to stop"},
      {"coslice drive --choose easy,easy_sjbf,mine.lua --every 300 --partition batch",
       "every five minutes the policy that is best for what waits"},
      {"coslice drive --recover", "gives back what a drive held that was killed"},
  };
  c.text =
      "Reads the queue and the nodes of Slurm (`squeue`, `scontrol`), asks the policy which of the waiting jobs should "
      "start now, and has Slurm start these: all jobs that it is given are held, and those that the policy starts are "
      "released with a priority above all others. Each order is printed with its reason.\n\n"
      "It is given the jobs that its filters name, all of which must hold, and touches no other: those only occupy "
      "nodes. Jobs that wait for other jobs, for a time or in a reservation, and jobs that are held, are left alone "
      "until "
      "they are not. On SIGTERM or Ctrl-C, and where the policy raises an error, what it holds is given back, and it "
      "ends with status 0, or 1 after an error or where not all was given back: what is in the state file then is for "
      "--recover. Further signals do not interrupt that. It must run as a user who may set priorities (an "
      "operator).\n\n"
      "With --choose it begins with the first policy named. Every so many seconds it simulates what becomes of the "
      "jobs "
      "that wait under each of them, with the same drawn run times for all, and changes to another one only where that "
      "is better beyond chance: where the interval of the difference, wider the more policies there are, leaves 0 out. "
      "Each choice is a line with its figures. The new policy begins anew with the machine as it is; what the one "
      "before "
      "had promised is void. A policy that fails is left out, with its message. The same queue and --seed give the "
      "same "
      "choice.";
  c.options = {
      value("-p,--policy", "POLICY", f.policy, "Name or path of the policy.", {Completion::kPolicies, {}}),
      values("--choose", "POLICY,POLICY[,...]", f.choose,
             "Instead of --policy: those among which one is chosen, by forecasts of the queue.",
             {Completion::kPolicies, {}}),
      value("--every", "TIME", f.every, "Between two choices, on Slurm's clock: `300` (s), `10min`. Default 300 s."),
      value(
          "--minimize", "FIGURE", f.minimize,
          "By what is chosen, of the waiting jobs: wait, response or slowdown, also `.p95` and the like or of a class "
          "(`wait.long`). Default wait."),
      value("--history", "FILE", f.history,
            "A trace (a dump of sacct, SWF): run times are drawn from those of its jobs. Default that of --site; "
            "without both only the limits are known, and for how long jobs have run.",
            {Completion::kFiles, {}}),
      value("--draws", "N", f.draws,
            "Simulations of a choice under each policy. Default 40, or as many as the budget lets be, 8 at least."),
      value("--budget", "TIME", f.budget,
            "What all simulations of a choice may take of one processor, about; it is counted, not timed. Where it is "
            "too "
            "little they look less far. Default 1 s."),
      value("--level", "P", f.level, "How often all intervals of a choice are to hold. Default 0.95."),
      value("--seed", "N", f.seed, "Of the draws. Default 1."),
      value("-j,--jobs", "N", f.threads, "Simulations of a choice that are made at once. Default all processors."),
      value(
          "--site", "FOLDER", f.site,
          "A folder that `coslice import slurm` wrote: its policy, its parameters, its numbers of users and accounts.",
          {Completion::kFolders, {}}),
      values("--set", "KEY=VALUE", f.set, "Sets a parameter: `policy.params.depth=3`.",
             {Completion::kScenarioKeys, {}}),
      value("--only-comment", "TEXT", f.comment, "Jobs with this comment (`sbatch --comment`)."),
      value("--wckey", "KEY", f.wckey, "Jobs with this workload characterization key."),
      value("--partition", "NAME", f.partition, "Jobs in this partition alone."),
      value("--user", "NAME", f.user, "Jobs of this user."),
      value("--account", "NAME", f.account, "Jobs of this account."),
      flag("--take-held", f.take_held,
           "Jobs that their users hold (`sbatch --hold`) are given to it, too; given back, they are held again."),
      flag("--dry-run", f.dry_run, "Says what it would order, and orders nothing."),
      flag("--once", f.once,
           "Decides once and ends; what is held stays held, and the next `--once` with this state file goes on."),
      value("--interval", "TIME", f.interval, "Between two decisions: `10` (s), `1min`. Default 10 s."),
      value("--timeout", "TIME", f.timeout, "A command of Slurm that takes longer is given up. Default 60 s."),
      value("--state", "FILE", f.state, "Where it notes what it holds, for --recover. Default `coslice-drive.toml`.",
            {Completion::kFiles, {"toml"}}),
      flag("--keep", f.keep, "Gives nothing back when it ends."),
      flag("--json", f.json, "Prints orders and choices as JSON, one on a line."),
      flag("--recover", f.recover,
           "Goes on with what the state file has of an earlier drive; without a policy, gives it back and ends."),
  };
  c.run = [flags] { return drive_slurm(*flags); };
  return c;
}

}  // namespace coslice::cli

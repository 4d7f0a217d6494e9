// coslice drive: a policy decides which jobs of a real Slurm start.
#include <time.h>

#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/frame/inputs.h"
#include "cli/frame/stop_signals.h"
#include "core/error.h"
#include "drive/driver.h"
#include "drive/present_simulation.h"
#include "report/markup.h"

namespace coslice::cli {
namespace {

struct DriveFlags {
  std::optional<std::string> policy, site, comment, wckey, partition, user, account, interval, timeout, state;
  std::vector<std::string> set;
  bool dry_run = false, once = false, take_held = false, keep = false, recover = false;
};

drive::DriveOptions drive_options(const DriveFlags& f) {
  drive::DriveOptions o;
  o.filter = {f.comment, f.wckey, f.partition, f.user, f.account};
  for (const auto* said : {&f.comment, &f.wckey, &f.partition, &f.user, &f.account})
    if (*said && (*said)->empty()) throw InputError({"", 0, "a filter is empty", "what jobs have"});
  o.take_held = f.take_held;
  o.dry_run = f.dry_run;
  if (o.filter.empty() && (f.policy || f.site))
    throw InputError({"coslice drive", 0, "is given no jobs",
                      "--only-comment, --wckey, --partition, --user or --account: all others are left alone"});
  if (!f.policy && !f.site && !f.recover)
    throw InputError({"--policy", 0, "is missing", "a policy, or --site with a folder that has one"});
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

/// Where the output is lost, that ends the drive, but not what it then gives back.
drive::Log log_of_drive() {
  const auto lost = std::make_shared<bool>(false);
  const auto order = [lost](std::string_view command, std::string_view why) {
    if (*lost) return;
    print(fmt::format("{:<46}  # {}\n", command, why));
    *lost = true;  // unless that works
    finish_output();
    *lost = std::ferror(stdout) != 0;  // nobody reads it any more
    if (*lost) std::clearerr(stdout);
  };
  return {order, [](std::string_view text) { report_warning(text); }};
}

void pause_for(Duration interval) {
  constexpr Duration kStep = std::chrono::milliseconds(100);
  for (Duration left = interval; left > Duration{0} && !is_interrupted(); left -= kStep) {
    const Duration step = std::min(left, kStep);
    const timespec pause{0, static_cast<long>(step.count() % 1'000'000'000)};
    nanosleep(&pause, nullptr);
  }
}

void run_ticks(drive::Driver& driver, drive::Decider& decider, const DriveFlags& f, Duration interval) {
  const drive::Judge judge{decider.name, [&](const drive::Situation& now) { return drive::decide(decider, now); }};
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

int drive_slurm(DriveFlags& f) {
  drive::DriveOptions options = drive_options(f);
  options.stopping = is_interrupted;
  const Duration interval = span_of("--interval", f.interval.value_or("10"));
  const Duration timeout = span_of("--timeout", f.timeout.value_or("60"));
  if (!f.state) f.state = "coslice-drive.toml";
  std::optional<drive::Decider> decider;
  if (f.policy || f.site) {
    decider = drive::make_decider(f.policy, f.site, f.set);
    drive::check_policy(*decider);
  }
  drive::Ledger ledger(f.dry_run ? nullptr : std::make_unique<drive::LockedFile>(*f.state));
  check_ledger(ledger, f, options);
  if (!options.filter.empty()) ledger.set_filter(options.filter.text());
  survive_interrupts();
  drive::SystemCommands slurm(timeout);
  drive::Driver driver(slurm, ledger, options, log_of_drive());
  if (!decider) return give_all_back(driver, *f.state) ? kDone : kFailed;
  const bool keep = f.keep || f.dry_run;
  try {
    run_ticks(driver, *decider, f, interval);
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
      "--recover. Further signals do not interrupt that. It must run as a user who may set priorities (an operator).";
  c.options = {
      value("-p,--policy", "POLICY", f.policy, "Name or path of the policy.", {Completion::kPolicies, {}}),
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
      flag("--recover", f.recover,
           "Goes on with what the state file has of an earlier drive; without a policy, gives it back and ends."),
  };
  c.run = [flags] { return drive_slurm(*flags); };
  return c;
}

}  // namespace coslice::cli

// coslice diff: the first decision in which two runs part.
#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/run/diff_text.h"
#include "cli/run/one_run.h"
#include "cli/run/planned_maintenance.h"
#include "core/error.h"
#include "jobs/workload.h"
#include "observe/job_action_log.h"
#include "observe/story_recorder.h"
#include "report/tables/terminal.h"

namespace coslice::cli {
namespace {

struct DiffFlags {
  std::vector<std::string> runs;
  std::optional<std::string> policy;
  bool json = false, seconds = false;
};

std::pair<std::string, std::string> two_policies(const std::string& list) {
  const std::size_t comma = list.find(',');
  if (comma == std::string::npos || list.find(',', comma + 1) != std::string::npos || comma == 0 ||
      comma + 1 == list.size())
    throw InputError({"--policy " + list, 0, "does not name two policies", "two, as in easy,conservative"});
  return {list.substr(0, comma), list.substr(comma + 1)};
}

const char* const kPurpose = "and a difference is between two runs";

/// The two runs that the arguments name.
std::pair<OneRun, OneRun> runs_of(const DiffFlags& flags) {
  const auto both = [](const std::string& path_a, const std::optional<std::string>& policy_a, const std::string& path_b,
                       const std::optional<std::string>& policy_b) {
    OneRun a(path_a, policy_a, kPurpose);
    OneRun b(path_b, policy_b, kPurpose, &a);
    return std::pair(std::move(a), std::move(b));
  };
  if (flags.runs.size() == 2 && flags.policy)
    throw InputError({"--policy", 0, "is for one RUN under two policies; here are two", "",
                      "of a folder with several policies' runs, name the folders inside"});
  if (flags.runs.size() == 2) return both(flags.runs[0], {}, flags.runs[1], {});
  if (!flags.policy)
    throw InputError(
        {flags.runs[0], 0, "there is nothing to compare it with", "a second RUN, or --policy with two names"});
  const auto [a, b] = two_policies(*flags.policy);
  return both(flags.runs[0], a, flags.runs[0], b);
}

/// Jobs of which something was done on one side only, the first few.
std::vector<JobIndex> concerned(const Divergence& divergence) {
  constexpr std::size_t kMost = 3;
  std::vector<JobIndex> jobs;
  const auto add = [&](const std::vector<JobAction>& actions) {
    std::size_t n = 0;
    for (const JobAction& action : actions) {
      if (n == kMost) return;
      if (std::find(jobs.begin(), jobs.end(), action.job) != jobs.end()) continue;
      jobs.push_back(action.job);
      ++n;
    }
  };
  add(divergence.only_a);
  add(divergence.only_b);
  return jobs;
}

void check_workloads(const OneRun& a, const OneRun& b) {
  const std::string difference = first_difference(a.runner().workload(), b.runner().workload());
  if (difference.empty()) return;
  throw InputError({"diff", 0, "the workloads are not the same: " + difference, "two runs of the same jobs"});
}

int diff(const DiffFlags& flags) {
  const auto [a, b] = runs_of(flags);
  check_workloads(a, b);
  JobActionLog log_a, log_b;
  DiffSide side_a{"a", a.name(), a.simulate({&log_a}), {}, {}}, side_b{"b", b.name(), b.simulate({&log_b}), {}, {}};
  const std::optional<Divergence> divergence = find_divergence(log_a.actions(), log_b.actions());
  if (divergence) {  // once more, now that it is known which jobs to watch
    const std::vector<JobIndex> jobs = concerned(*divergence);
    side_a.actions = divergence->only_a;
    side_b.actions = divergence->only_b;
    for (const auto& [run, side] : {std::pair(&a, &side_a), std::pair(&b, &side_b)}) {
      StoryRecorder recorder(run->runner().workload().jobs.size(), jobs, planned_maintenance(run->runner()));
      run->watch(recorder, [&] { return recorder.complete(); });
      side->stories = recorder.take();
    }
  }
  const auto at = divergence ? std::optional(divergence->at) : std::nullopt;
  const auto clock = flags.seconds ? std::nullopt : trace_clock(a.runner().workload().header);
  if (flags.json) print(diff_json(side_a, side_b, at));
  else print(diff_text(side_a, side_b, at, clock, text_width(stdout), wants_colour(stdout)));
  return kDone;
}

}  // namespace

Command diff_command() {
  auto flags = std::make_shared<DiffFlags>();
  DiffFlags& f = *flags;
  Command c;
  c.summary = "find the first decision in which two runs part, and explain both sides";
  c.examples = {
      {"coslice diff results/easy results/conservative", "two run folders of the same jobs"},
      {"coslice diff trace.swf.gz --policy easy,conservative", "a trace under two policies"},
      {"coslice diff results/1 results/2 --json | jq .at", "for machines"},
  };
  c.text =
      "Both runs are of the same jobs, under two policies, with other parameters, or on other machines; if the jobs "
      "are not the same, the first one that differs is named. What counts as a decision is what is done with jobs: "
      "starts and on which nodes, stops, resumptions, loads, groups, speeds, ends. The order within an instant does "
      "not count.\n\n"
      "The runs are simulated again, as `coslice explain` does. Exit status 0, whether they differ or not.";
  c.arguments = {{"RUN",
                  "Run folders, scenarios, traces, or runs of a campaign (loads.sqlite:7); one, with --policy, or two.",
                  &f.runs,
                  1,
                  2,
                  {Completion::kFiles, {"toml", "swf", "swf.gz"}}}};
  c.options = {
      value("-p,--policy", "NAME,NAME", f.policy, "The two policies, or the two runs of a folder, if one RUN is given.",
            {Completion::kPolicies}),
      flag("--json", f.json, "Prints everything as JSON."),
      flag("--seconds", f.seconds, "Instants in seconds of the trace, also where it has a date. JSON always has them."),
  };
  c.run = [flags] { return diff(*flags); };
  return c;
}

}  // namespace coslice::cli

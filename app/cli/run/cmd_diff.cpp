// coslice diff: the first decision in which two runs differ.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/frame/command.h"
#include "cli/frame/console.h"
#include "cli/run/one_run.h"
#include "core/error.h"
#include "jobs/workload.h"
#include "observe/job_action_log.h"
#include "observe/job_story.h"
#include "observe/story_recorder.h"
#include "report/explain/story_text.h"
#include "report/markup.h"
#include "report/tables/terminal.h"
#include "runner/runner.h"
#include "runner/story_layout.h"

namespace coslice::cli {
namespace {

struct DiffSide {
  std::string letter;  ///< "a", "b"
  std::string name;    ///< of the run
  PolicyRun run;
  std::vector<JobAction> actions;  ///< that only this side did at the instant in which they part
  std::vector<JobStory> stories;   ///< of the jobs concerned, the same on both sides
};

using Json = nlohmann::ordered_json;

std::string value_text(const Value& v) {
  if (const bool* b = v.flag()) return *b ? "true" : "false";
  if (const std::int64_t* i = v.integer()) return std::to_string(*i);
  if (const double* d = v.real()) return fmt::format("{}", *d);
  if (const std::string* s = v.text()) return *s;
  return kind_name(v);
}

/// Parameters that the other run has otherwise: ", reservations = 2".
std::string own_params(const DiffSide& side, const DiffSide& other) {
  std::string text;
  if (side.run.policy.name != other.run.policy.name || side.run.params.members() == nullptr) return text;
  for (const Member& m : *side.run.params.members()) {
    const Value* there = other.run.params.find(m.key);
    if (there == nullptr || *there != m.value) text += fmt::format(", {} = {}", m.key, value_text(m.value));
  }
  return text;
}

std::string title(const DiffSide& side, const DiffSide& other) {
  const std::int32_t nodes = side.run.result.machine.nodes;
  std::string text = fmt::format("{}, {}{}", side.name, side.run.policy.name, own_params(side, other));
  if (nodes != other.run.result.machine.nodes) text += fmt::format(", {}", counted(nodes, "node"));
  return text;
}

const char* verb(JobAction::Kind kind) {
  static const char* const verbs[] = {"starts",           "shares nodes",   "is stopped",        "goes on",
                                      "loads its memory", "is written out", "changes its speed", "ends",
                                      "is killed",        "is rejected",    "is withdrawn",      "gets other nodes"};
  return verbs[kind];
}

/// What is done with a job at that instant, on one side only; null if nothing.
const JobAction* action_of(const DiffSide& side, JobIndex j) {
  const auto it = std::ranges::find(side.actions, j, &JobAction::job);
  return it == side.actions.end() ? nullptr : &*it;
}

/// What the job is doing at t on that side, and why.
std::string state_text(const DiffSide& side, const JobStory& s, Time t, const std::optional<TraceClock>& clock) {
  StoryContext c = story_context(side.run, side.name, s.job);
  c.clock = clock;
  if (s.rejected) return "rejected";
  if (s.withdrawn && s.given_up <= t) return "withdrawn";
  if (s.started == t)
    return fmt::format("starts, {} (on {})", start_text(s, c),
                       s.where.count() == 1 ? "node " + s.where.str() : "nodes " + s.where.str());
  std::string text;
  const auto ran = std::ranges::find_if(s.earlier, [t](const StoryRun& r) { return r.from <= t && t < r.to; });
  if (ran != s.earlier.end())
    return fmt::format("{}; its run is interrupted at {}",
                       ran->from == t ? "starts" : "has run since " + words::instant(c.clock, ran->from),
                       words::instant(c.clock, ran->to));
  if (s.started > t) {
    text = "waits";
    for (const WaitPhase& p : s.phases)
      if (p.from <= t && t < p.to) text += ": " + wait_reason_text(p, c);
    const PromisedStart* promise = nullptr;
    for (const PromisedStart& p : s.promises)
      if (p.at <= t && p.held) promise = &p;
    if (promise != nullptr) text += fmt::format("; its reservation is for {}", words::instant(c.clock, promise->start));
    return text + (s.started == kNever ? "; it never starts"
                                       : fmt::format("; it starts at {}", words::instant(c.clock, s.started)));
  }
  if (s.ended == t) return s.killed ? "is killed at its limit" : "ends";
  if (s.ended < t) return fmt::format("ended at {}", words::instant(c.clock, s.ended));
  const JobEvent* last = nullptr;
  for (const JobEvent& e : s.events)
    if (e.at <= t) last = &e;
  text = fmt::format("has run since {}", words::instant(c.clock, s.started));
  if (last != nullptr)
    text += fmt::format("; {}at {}", last->at == t ? "now, " : "last, ", words::instant(c.clock, last->at)) + ": " +
            event_text(*last, s, c);
  return text;
}

/// How far apart the runs come out.
std::string outcome_text(const DiffSide& a, const DiffSide& b) {
  std::int64_t earlier = 0, later = 0;
  for (std::size_t j = 0; j != a.run.result.outcomes.size(); ++j) {
    const Time in_a = a.run.result.outcomes[j].start, in_b = b.run.result.outcomes[j].start;
    earlier += in_a < in_b;
    later += in_a > in_b;
  }
  if (earlier == 0 && later == 0) return "In the end, all jobs start at the same time in both.";
  return fmt::format("In the end, of {} {} {} earlier in a, {} in b.",
                     counted(std::ssize(a.run.result.outcomes), "job"), grouped(earlier),
                     earlier == 1 ? "starts" : "start", grouped(later));
}

std::string actions_text(const DiffSide& side, const DiffSide& other, JobIndex j) {
  const JobAction* here = action_of(side, j);
  const JobAction* there = action_of(other, j);
  const std::string job = words::job(side.run.result, j);
  if (here != nullptr && there != nullptr && here->kind == there->kind)
    return fmt::format("{} {} in both, but not in the same way", job, verb(here->kind));
  if (here == nullptr) return fmt::format("{} {} in {} only", job, verb(there->kind), other.letter);
  return fmt::format("{} {} in {} only", job, verb(here->kind), side.letter);
}

/// Returns the difference of two runs in words. `at`: where they part; nothing if they are the same. With a clock,
/// instants are dates.
std::string diff_text(const DiffSide& a, const DiffSide& b, std::optional<Time> at,
                      const std::optional<TraceClock>& clock, std::size_t width, bool colour) {
  std::string out;
  for (const auto& [side, other] : {std::pair(&a, &b), std::pair(&b, &a)})
    out += "  " + paint(side->letter, Tone::kBold, colour) + "  " + wrapped(title(*side, *other), width, 5) + "\n";
  const std::int64_t jobs = std::ssize(a.run.result.outcomes);
  if (!at) {
    return out + "\n" +
           wrapped(fmt::format("The runs are the same: every start, stop and end of {}.", counted(jobs, "job")),
                   width) +
           "\n";
  }
  if (clock) out += "\n" + wrapped(words::zone(*clock), width);
  out += "\n" + wrapped(fmt::format("They do the same until {}, where they part:", words::instant(clock, *at)), width) +
         "\n";
  for (std::size_t i = 0; i != a.stories.size(); ++i) {
    out += "\n" + paint(actions_text(a, b, a.stories[i].job), Tone::kBold, colour) + "\n";
    out += "  a  " + wrapped(state_text(a, a.stories[i], *at, clock), width, 5) + "\n";
    out += "  b  " + wrapped(state_text(b, b.stories[i], *at, clock), width, 5) + "\n";
  }
  return out + "\n" + wrapped(outcome_text(a, b), width) + "\n";
}

namespace {

Json side_json(const DiffSide& side, std::optional<Time> at) {
  Json out{{"name", side.name},
           {"policy", side.run.policy.name},
           {"fingerprint", fmt::format("{:016x}", side.run.result.fingerprint)}};
  if (!at) return out;
  Json actions = Json::array();
  for (const JobAction& a : side.actions)
    actions.push_back({{"job", side.run.result.workload->jobs[a.job].id}, {"what", verb(a.kind)}});
  out["acts"] = actions;
  Json stories = Json::array();
  for (const JobStory& s : side.stories) {
    const StoryContext c = story_context(side.run, side.name, s.job);
    Json story = Json::parse(story_json(s, c));
    story["then"] = state_text(side, s, *at, std::nullopt);
    stories.push_back(story);
  }
  out["jobs"] = stories;
  return out;
}

}  // namespace

/// Instants are seconds.
std::string diff_json(const DiffSide& a, const DiffSide& b, std::optional<Time> at) {
  Json out{{"same", !at.has_value()}, {"at", nullptr}};
  if (at) out["at"] = to_seconds(*at);
  out["a"] = side_json(a, at);
  out["b"] = side_json(b, at);
  return out.dump(2) + "\n";
}

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
      if (std::ranges::find(jobs, action.job) != jobs.end()) continue;
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
      StoryRecorder recorder = story_recorder(run->runner(), jobs);
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
  c.summary = "find the first decision in which two runs differ, and explain both sides";
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

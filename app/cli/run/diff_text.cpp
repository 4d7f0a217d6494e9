#include "cli/run/diff_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/frame/console.h"
#include "cli/run/story_layout.h"
#include "report/explain/story_text.h"
#include "report/markup.h"
#include "report/tables/terminal.h"

namespace coslice::cli {
namespace {

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
                                      "is killed",        "is rejected",    "is withdrawn"};
  return verbs[kind];
}

/// What is done with a job at that instant, on one side only; null if nothing.
const JobAction* action_of(const DiffSide& side, JobIndex j) {
  const auto it =
      std::find_if(side.actions.begin(), side.actions.end(), [j](const JobAction& a) { return a.job == j; });
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
  const auto ran =
      std::find_if(s.earlier.begin(), s.earlier.end(), [t](const StoryRun& r) { return r.from <= t && t < r.to; });
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
                     counted(static_cast<std::int64_t>(a.run.result.outcomes.size()), "job"), grouped(earlier),
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

}  // namespace

std::string diff_text(const DiffSide& a, const DiffSide& b, std::optional<Time> at,
                      const std::optional<TraceClock>& clock, std::size_t width, bool colour) {
  std::string out;
  for (const auto& [side, other] : {std::pair(&a, &b), std::pair(&b, &a)})
    out += "  " + paint(side->letter, Tone::kBold, colour) + "  " + wrapped(title(*side, *other), width, 5) + "\n";
  const std::int64_t jobs = static_cast<std::int64_t>(a.run.result.outcomes.size());
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

std::string diff_json(const DiffSide& a, const DiffSide& b, std::optional<Time> at) {
  Json out{{"same", !at.has_value()}, {"at", nullptr}};
  if (at) out["at"] = to_seconds(*at);
  out["a"] = side_json(a, at);
  out["b"] = side_json(b, at);
  return out.dump(2) + "\n";
}

}  // namespace coslice::cli

#include "lab/check/coverage.h"

#include <algorithm>

#include <fmt/format.h>

namespace coslice::check {

struct Coverage::Word {
  Event event;
  const char* text;
};

const Coverage::Word Coverage::kWords[] = {
    {kWaited, "a job that waits"},
    {kManyWaited, "several jobs that wait"},
    {kPassed, "a job that starts before an earlier one"},
    {kEarly, "a job that ends before its limit"},
    {kKilled, "a job killed at its limit"},
    {kOutran, "a job that runs on beyond its limit"},
    {kTooLarge, "a job larger than the machine"},
    {kIdle, "a machine that is empty between jobs"},
    {kPreempted, "a preempted job"},
    {kForeign, "a job in a slice of another class"},
    {kEvicted, "a job stopped for one of the slice's class"},
    {kLoaded, "memory that is loaded"},
    {kSwapped, "memory that runs short"},
    {kShared, "jobs that share nodes"},
    {kDiffering, "a machine whose nodes differ"},
    {kParts, "a job that asks for a part of a node"},
    {kGpus, "a job that asks for GPUs"},
    {kMolded, "a moldable job that gets another size than its own"},
    {kStopped, "a job that its policy stops"},
    {kSuspended, "a job that its policy suspends"},
};

void Coverage::add_jobs(const TestRun& run) {
  const std::vector<Job>& jobs = run.runner->workload().jobs;
  const bool differing = names_kinds(run.runner->machine());
  seen_[kDiffering] |= differing;
  Time latest = Time::min(), last_end = Time::min();
  for (JobIndex j = 0; j != jobs.size(); ++j) {
    const Outcome& o = run.run.result.outcomes[j];
    seen_[kTooLarge] |= o.state == FinalState::kRejected;
    if (o.start == kNever) continue;
    if (differing) {
      const Request& request = run.runner->workload().requests[jobs[j].request];
      seen_[kParts] |= !request.exclusive;
      seen_[kGpus] |= request.gpus > 0;
    }
    seen_[kWaited] |= o.start > run.run.result.submitted_at(j);
    seen_[kPassed] |= o.start < latest;
    seen_[kIdle] |= last_end != Time::min() && jobs[j].submit > last_end;
    seen_[kKilled] |= o.state == FinalState::kWalltimeReached;
    seen_[kOutran] |= o.state == FinalState::kCompleted && jobs[j].runtime > jobs[j].limit;
    seen_[kEarly] |= jobs[j].runtime < jobs[j].limit;
    latest = std::max(latest, o.start);
    last_end = std::max(last_end, o.end);
  }
  for (const TimelinePoint& p : run.run.result.timeline) seen_[kManyWaited] |= p.queue > 1;
}

void Coverage::add(const TestRun& run) {
  const std::lock_guard lock(mutex_);
  add_jobs(run);
  const RunResult& r = run.run.result;
  jobs_ += std::ssize(r.outcomes);
  seen_[kPreempted] |= r.slices.preemptions > 0;
  seen_[kForeign] |= r.slices.foreign_resumed + r.slices.foreign_finishing + r.slices.foreign_pinned > 0;
  seen_[kEvicted] |= r.slices.evictions > 0;
  seen_[kLoaded] |= r.slices.loads > 0;
  seen_[kSwapped] |= r.slices.swaps > 0;
  seen_[kShared] |= r.sharing && r.sharing->counts.groups > 0;
  for (const InterruptedRun& i : r.interrupted) seen_[kStopped] |= i.by == InterruptedBy::kPolicy;
  seen_[kSuspended] |= !r.suspended.empty();
  if (r.molded)
    for (std::size_t j = 0; j != r.molded->jobs.size(); ++j)
      seen_[kMolded] |= r.molded->jobs[j].size != run.runner->workload().jobs[j].size;
  memory_ |= !r.overhead.empty();
  read_clock_ |= run.run.read_clock;
  for (const auto& call : run.run.seconds_by_call) called_.insert(call.first);
}

bool Coverage::applies(Event e, const Kind& kind) const {
  switch (e) {
    case kPreempted:
    case kForeign:
    case kEvicted: return kind.sliced;
    case kLoaded:
    case kSwapped: return memory_;
    case kShared: return kind.shared;
    case kDiffering:
    case kParts:
    case kGpus: return kind.may_differ();
    case kMolded: return !kind.sliced && !kind.shared && !kind.coscheduled;
    case kStopped:
    case kSuspended: return seen_[e];  // few policies do that, and nothing says which
    case kKilled:
    case kOutran: return !kind.coscheduled;
    default: return true;
  }
}

std::vector<std::string> Coverage::reached(const Kind& kind) const {
  std::vector<std::string> out;
  for (const Word& w : kWords)
    if (applies(w.event, kind) && seen_[w.event]) out.emplace_back(w.text);
  if (kind.clock) out.emplace_back("days and nights over weeks");
  return out;
}

std::vector<std::string> Coverage::missed(const Kind& kind, const PolicyDescription& policy) const {
  std::vector<std::string> out;
  for (const Word& w : kWords)
    if (applies(w.event, kind) && !seen_[w.event]) out.emplace_back(w.text);
  for (const std::string& hook : policy.hooks) {
    if (called_.count(fmt::format("hook '{}' of policy '{}'", hook, policy.name)) == 0)
      out.push_back(fmt::format("a call of the hook '{}'", hook));
  }
  return out;
}

}  // namespace coslice::check

#include "events/job_gates.h"

#include <fmt/format.h>

namespace coslice {

std::unique_ptr<JobGates> JobGates::make(const std::vector<Job>& jobs, const EngineOptions& options) {
  const bool any = options.dependencies || std::ranges::any_of(jobs, asks_in_time);
  return any ? std::unique_ptr<JobGates>(new JobGates(jobs, options)) : nullptr;
}

JobGates::JobGates(const std::vector<Job>& jobs, const EngineOptions& options)
    : jobs_(jobs), unfulfilled_(options.unfulfilled), gate_of_(jobs.size(), kNone) {
  Workflow workflow = workflow_of(jobs, options.dependencies);
  if (workflow.problem) {
    const WorkflowProblem& p = *workflow.problem;
    throw InputError({"", 0, fmt::format("job {} {}", jobs[p.job].id, p.what), p.expected, "", ""});
  }
  add_gates(workflow.by_job);
  add_arrays();
  for (JobIndex j = 0; j != jobs.size(); ++j)
    if (keeps(j) && gate(j).open.empty()) coming_.push({gate(j).earliest, j});
  tidy();
}

void JobGates::add_gates(const std::vector<JobNeeds>& needs) {
  if (!needs.empty()) {
    dependents_.resize(jobs_.size());
    begun_.resize(jobs_.size());
  }
  for (JobIndex j = 0; j != jobs_.size(); ++j) {
    const Job& job = jobs_[j];
    const Time begin{job.extras->begin}, held{job.extras->held_until};
    const bool needy = !needs.empty() && !needs[j].needs.empty();
    if (!needy && begin <= job.submit && held <= job.submit && !in_limited_array(job)) continue;
    gate_of_[j] = static_cast<std::uint32_t>(gates_.size());
    Gate& g = gates_.emplace_back();
    g.earliest = std::max({job.submit, begin, held});
    g.why.what = held >= begin ? Release::kHold : Release::kBegin;
    if (!needy) continue;
    g.open.resize(needs[j].groups);
    g.ready.resize(needs[j].groups, {g.earliest, kNoJob});
    for (const Need& n : needs[j].needs) {
      dependents_[n.on].push_back({j, n});
      ++g.open[n.group];
    }
    for (std::uint32_t& open : g.open)
      if (open == 0) open = kNone;  // it named jobs that do not exist
  }
}

void JobGates::add_arrays() {
  std::unordered_map<std::int64_t, std::uint32_t> numbers;
  for (JobIndex j = 0; j != jobs_.size(); ++j) {
    if (!in_limited_array(jobs_[j])) continue;
    const auto e = array_element(jobs_[j]);
    if (!e || e->limit == 0) continue;
    const auto [it, fresh] = numbers.emplace(e->array, static_cast<std::uint32_t>(arrays_.size()));
    if (fresh) arrays_.emplace_back();
    arrays_[it->second].limit = e->limit;
    gate(j).array = it->second;
  }
}

/// Sees to it that the first one may come. The place of one that never will is for the next one.
void JobGates::tidy() {
  while (!coming_.empty()) {
    Gate& g = gate(next_job());
    const bool full = g.array != kNone && arrays_[g.array].in >= arrays_[g.array].limit;
    if (!g.over && !full) return;
    const Coming c = coming_.pop();
    const bool called = std::exchange(g.called, false);
    if (!g.over) arrays_[g.array].parked.insert(c);
    else if (called) call_next(g.array, c.time, c.job);
  }
}

/// Of the elements that wait for a place in the array, the first one may come, because of the other job.
void JobGates::call_next(std::uint32_t array, Time t, JobIndex by) {
  std::set<Coming>& parked = arrays_[array].parked;
  while (!parked.empty()) {
    const Coming c = *parked.begin();
    parked.erase(parked.begin());
    Gate& g = gate(c.job);
    if (g.over) continue;
    if (t > c.time) g.why = {Release::kArray, by};
    g.called = true;
    coming_.push({std::max(c.time, t), c.job});
    return;
  }
}

JobIndex JobGates::pop() {
  const Coming c = coming_.pop();
  Gate& g = gate(c.job);
  g.over = true;
  g.called = false;
  g.earliest = c.time;
  if (g.array != kNone) ++arrays_[g.array].in;
  tidy();
  return c.job;
}

void JobGates::began(JobIndex j, Time t) {
  if (begun_.empty() || begun_[j] != 0) return;  // it may start again after a failure
  happens(j, Event::kBegan, t);
  begun_[j] = 1;
  tidy();
}

void JobGates::ended(JobIndex j, Time t, bool failed) {
  happens(j, has_failed(jobs_[j], failed) ? Event::kFailed : Event::kCompleted, t);
  if (keeps(j) && gate(j).array != kNone) {
    --arrays_[gate(j).array].in;
    call_next(gate(j).array, t, j);
  }
  tidy();
}

/// With all that follows from it at once: jobs that never come.
void JobGates::happens(JobIndex j, Event event, Time t) {
  if (dependents_.empty()) return;
  tell_dependents(j, event, t);
  const Event follows = unfulfilled_ == Unfulfilled::kCancel ? Event::kFailed : Event::kNothing;
  for (; told_ != never_.size(); ++told_) tell_dependents(never_[told_].job, follows, t);
}

void JobGates::tell_dependents(JobIndex j, Event event, Time t) {
  const bool had_begun = begun_[j] != 0;
  for (const Dependent& d : dependents_[j]) {
    const bool begin = d.need.kind == DependencyKind::kAfter;
    if (gate(d.job).over || (begin ? had_begun : event == Event::kBegan)) continue;
    const bool refuted = (d.need.kind == DependencyKind::kAfterOk && event == Event::kFailed) ||
                         (d.need.kind == DependencyKind::kAfterNotOk && event == Event::kCompleted);
    if (event == Event::kNothing || refuted) rule_out(d, j);
    else fulfil(d, j, t);
  }
}

void JobGates::fulfil(const Dependent& d, JobIndex by, Time t) {
  Gate& g = gate(d.job);
  std::uint32_t& open = g.open[d.need.group];
  auto& [ready, last] = g.ready[d.need.group];
  const Time then = later(t, d.need.delay);
  if (then >= ready) {
    ready = then;
    last = by;
  }
  if (open == kNone || --open != 0) return;
  if (g.why.by == kNoJob || ready < g.earliest) {  // of several choices the first counts
    if (last != kNoJob) g.why = {Release::kJob, last};
    g.earliest = ready;
  }
  coming_.push({ready, d.job});
}

void JobGates::rule_out(const Dependent& d, JobIndex by) {
  Gate& g = gate(d.job);
  const bool was_open = g.open[d.need.group] != kNone;
  g.open[d.need.group] = kNone;
  const bool some_open = std::ranges::any_of(g.open, [](std::uint32_t o) { return o != kNone; });
  if (!was_open || some_open) return;
  g.over = true;
  never_.push_back({d.job, by});
}

}  // namespace coslice

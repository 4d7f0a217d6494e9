#include "sched/simulation.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"

namespace coslice {

namespace {
/// How often progress is told: often enough for a bar, rarely enough to cost nothing.
constexpr std::size_t kProgressStep = 2048;
/// A policy that wakes itself for ever would never end.
constexpr std::int64_t kPassesInVain = 1'000'000;

Time first_submission(const std::vector<Job>& jobs) { return jobs.empty() ? Time{} : jobs.front().submit; }
}  // namespace

Simulation::Simulation(const MachineSpec& machine, const std::vector<Job>& jobs, Scheduler& scheduler,
                       const EngineOptions& options)
    : jobs_(jobs), scheduler_(scheduler), options_(options), cluster_(machine),
      view_(jobs, machine.nodes, first_submission(jobs), *this, observers_), now_(first_submission(jobs)),
      feed_(jobs, options.dependencies) {}

std::int32_t Simulation::nodes_for(std::int32_t size) const {
  const std::int32_t cores = cluster_.spec().cores_per_node();
  const std::int32_t per_node = options_.processes_per_node > 0 ? options_.processes_per_node : cores;
  return size / per_node + (size % per_node != 0 ? 1 : 0);
}

Duration Simulation::planned(const Job& job) const {
  return options_.at_limit == AtLimit::kKill ? job.limit : std::max(job.limit, job.runtime);
}

Duration Simulation::actual(const Job& job) const {
  return options_.at_limit == AtLimit::kKill ? std::min(job.limit, job.runtime) : job.runtime;
}

void Simulation::run() {
  scheduler_.begin(view_);
  std::int64_t in_vain = 0;
  std::size_t instants = 0;  // progress is also told where no job ends: whoever is told may want to stop the run
  for (Time t = next_instant(); t != kNever && done_ != jobs_.size(); t = next_instant()) {
    now_ = t;
    view_.advance(t);
    const std::uint64_t before = happened_;
    if (options_.event_order == EventOrder::kEndsFirst) ends_first();
    else submissions_first();
    settle();
    if (++instants % kProgressStep == 0 && progress_) progress_(done_);
    in_vain = happened_ == before ? in_vain + 1 : 0;
    if (in_vain == kPassesInVain) {
      throw SimulationError(fmt::format("at {} s: the policy asked for {} passes in a row in which nothing happened",
                                        format_seconds(now_.time_since_epoch()), kPassesInVain));
    }
  }
  if (progress_) progress_(done_);
}

Time Simulation::next_instant() const {
  const Time end = ends_.empty() ? kNever : ends_.front().time;
  return std::min({end, feed_.next_time(), wake_});
}

void Simulation::ends_first() {
  Pass what{false, false, true};
  while (end_next()) what.ended = true;
  while (submit_next()) what.submitted = true;
  if (wake_ <= now_) wake_ = kNever;
  pass(what);
}

void Simulation::submissions_first() {
  for (;;) {  // an end can release a job that depended on it: a submission at the same instant
    if (submit_next()) pass({true, false, false});
    else if (end_next()) pass({false, true, false});
    else break;
  }
  if (wake_ <= now_) {
    wake_ = kNever;
    pass({false, false, true});
  }
  std::sort(pending_.begin(), pending_.end(),
            [](const PendingStart& a, const PendingStart& b) { return a.order < b.order; });
  for (const PendingStart& p : pending_) take_effect(*p.job);
  pending_.clear();
}

bool Simulation::submit_next() {
  while (feed_.next_time() <= now_ && feed_.next_time() != kNever)
    if (enter(feed_.pop())) return true;
  return false;
}

bool Simulation::enter(JobIndex j) {
  ++happened_;
  const std::int32_t nodes = nodes_for(jobs_[j].size);
  if (nodes > cluster_.spec().nodes) {
    for (Observer* o : observers_) o->rejected(now_, j);
    feed_.ended(j, now_);
    ++done_;
    return false;
  }
  view_.enqueue(j, nodes, planned(jobs_[j]), scheduler_.key(view_, j));
  for (Observer* o : observers_) o->submitted(now_, j);
  scheduler_.submitted(view_, j);
  return true;
}

bool Simulation::end_next() {
  if (ends_.empty() || ends_.front().time > now_) return false;
  ++happened_;
  StartedJob& job = *ends_.front().job;
  std::pop_heap(ends_.begin(), ends_.end(), std::greater<>{});
  ends_.pop_back();
  const JobIndex j = job.index;
  cluster_.vacate(job.nodes);
  used_cores_ -= jobs_[j].size;
  const bool killed = options_.at_limit == AtLimit::kKill && jobs_[j].runtime > jobs_[j].limit;
  for (Observer* o : observers_) o->ended(now_, j, job.nodes, killed);
  const Time started = job.start;
  job.view->finish(job);
  feed_.ended(j, now_);
  scheduler_.ended(view_, j, started);
  if (++done_ % kProgressStep == 0 && progress_) progress_(done_);
  return true;
}

void Simulation::pass(const Pass& what) {
  view_.before_pass();
  scheduler_.schedule(view_, what);
  view_.after_pass(what.due);
  for (Observer* o : observers_) o->passed(now_);
}

void Simulation::set_ppn_alone(View&, View::Position, std::int32_t) {
  throw SimulationError("processes per node are the policy's only where it says how nodes are shared (sharing)");
}

void Simulation::launch_group(StartedJob&, const std::vector<StartedJob*>&, double) {
  throw SimulationError("jobs can share nodes only where the run says how (sharing)");
}

void Simulation::separate(Group&) { throw SimulationError("nobody shares nodes"); }

void Simulation::launch(StartedJob& job, std::uint64_t order) {
  if (options_.event_order == EventOrder::kEndsFirst) take_effect(job);
  else pending_.push_back({order, &job});
  scheduler_.started(view_, job.index);
}

void Simulation::take_effect(StartedJob& job) {
  ++happened_;
  job.nodes = cluster_.occupy_lowest(job.node_count);
  used_cores_ += jobs_[job.index].size;
  const Time end = later(now_, actual(jobs_[job.index]));
  if (end == kNever)
    throw SimulationError("the schedule reaches beyond the 292 years that can be counted in nanoseconds");
  ends_.push_back({end, started_++, &job});
  std::push_heap(ends_.begin(), ends_.end(), std::greater<>{});
  for (Observer* o : observers_) o->started(now_, job.index, job.nodes);
}

void Simulation::settle() {
  const InstantState state{now_, static_cast<std::int32_t>(view_.loose_queue().size()), cluster_.used_count(),
                           used_cores_};
  for (Observer* o : observers_) o->settled(state);
}

}  // namespace coslice

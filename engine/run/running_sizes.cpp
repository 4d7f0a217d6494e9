// Elastic jobs among those that hold nodes: their changes are ordered, wait for a point of their work, and come into
// force.
#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "core/refusals.h"
#include "run/running_jobs.h"

namespace coslice {

/// What keeps jobs from changing their nodes; nothing: nothing does.
std::optional<Feature> RunningJobs::keeps_sizes() const {
  if (sliced()) return Feature::kSlices;
  if (shared_) return Feature::kGroups;
  if (contention_) return Feature::kContention;
  if (by_node_) return Feature::kHeterogeneous;
  if (options_.event_order != EventOrder::kEndsFirst) return Feature::kSubmissionsFirst;
  return {};
}

void RunningJobs::use_elastic() {
  if (!keeps_sizes()) elastic_ = ElasticJobs::make(jobs_);
}

bool RunningJobs::is_elastic(JobIndex j) const { return elastic_ && elastic_->is_elastic(j); }

/// It begins to progress, or goes on.
void RunningJobs::begin_elastic(StartedJob& job) {
  if (!is_elastic(job.index)) return;
  if (elastic_->knows(job.index)) return pause_elastic(job);
  elastic_->start(job, times_.runtime(job.index), molding_->size_of(job.index));
}

/// The order is void, and its nodes are free.
void RunningJobs::take_order_back(StartedJob& job) {
  const NodeRanges kept = elastic_->take_order(job.index).gained;
  if (kept.empty()) return;
  occupied_.give_back(kept);
  job.view->hold(job, job.node_count, job.expected_end);
  on_left_(kept);
}

bool RunningJobs::void_order_on(NodeId n) {
  StartedJob* const keeper = elastic_ ? elastic_->keeper(n) : nullptr;
  if (keeper != nullptr) take_order_back(*keeper);
  return keeper != nullptr;
}

bool RunningJobs::order_size(StartedJob& job, std::size_t size) {
  if (const std::optional<Feature> other = keeps_sizes()) fail_together(*other, Feature::kElastic);
  if (suspended_ && (suspended_->borrows(job.index) || !suspended_->lent_by(job.index).empty()))
    throw SimulationError(fmt::format("job {} has borrowed or lent nodes, and keeps those that it has until these are "
                                      "given back",
                                      jobs_[job.index].id));
  take_order_back(job);
  ElasticJobs::Order order{(*elastic_sizes(job))[size].nodes, {}};
  if (order.nodes == job.node_count) return true;
  const bool at_once = elastic_->next_point(job, now()) == now();
  if (order.nodes > job.node_count) {
    order.gained = occupied_.idle().lowest(order.nodes - job.node_count);
    occupied_.keep(order.gained);
    if (!at_once) job.view->hold(job, order.nodes, job.expected_end);
  }
  elastic_->order(job, std::move(order), now());
  if (at_once) change_nodes(job);
  return at_once;
}

/// When the elastic job will have done what it may do by its limit, and `over` more, at the rate that it has: a limit of
/// so much time with the nodes with which it started is one of so much work.
Time RunningJobs::work_over(const StartedJob& job, Duration over) const {
  const Work done = Work(times_.runtime(job.index)) - job.work_left;
  const Work left = Work(times_.planned(job.index) + over) - done;
  return later(std::max(job.since, now()), left.time_at(job.rate));
}

/// When the job, which was at another size, is believed to end with that one. One that was believed to run until its
/// limit is believed to do so still.
Time RunningJobs::expected_end_after(const StartedJob& before, const StartedJob& job) const {
  if (before.expected_end <= now()) return before.expected_end;
  const Time at_least = later(now(), Duration{1});  // it has its nodes for the rest of this instant
  if (before.expected_end >= work_over(before, Duration{0})) return std::max(work_over(job, Duration{0}), at_least);
  const Work left = Work::done(before.expected_end - std::max(before.since, now()), before.rate);
  return std::max(later(job.since, left.time_at(job.rate)), at_least);
}

/// At which it progresses with the i-th of its sizes; at rate 1 with the one with which it started.
Rate RunningJobs::rate_with(const StartedJob& job, const JobSize& size) const {
  return Rate::of_slowdown(to_seconds(size.runtime) / to_seconds(jobs_[job.index].runtime));
}

Time RunningJobs::expected_end_with(const StartedJob& job, const JobSize& size) const {
  StartedJob before = job;
  before.count(now());
  StartedJob then = before;
  then.rate = rate_with(job, size);
  const std::int32_t change = std::abs(size.nodes - job.node_count);
  then.since = later(std::max(then.since, now()), elastic_->standstill(job.index, change));
  return expected_end_after(before, then);
}

/// The order comes into force.
void RunningJobs::change_nodes(StartedJob& job) {
  const JobIndex j = job.index;
  const ElasticJobs::Order order = elastic_->take_order(j);
  elastic_->reach(job, now());
  account(job);
  const StartedJob before = job;
  NodeRanges lost;
  occupied_.go(job);
  if (order.nodes > before.node_count) {
    job.nodes = together(job.nodes, order.gained);
  } else {
    const NodeRanges stay = NodeSet(machine_.nodes, job.nodes).lowest(order.nodes);
    lost = without(job.nodes, stay);
    job.nodes = stay;
  }
  occupied_.come(job);
  job.node_count = order.nodes;
  used_cores_ -= std::int64_t{kWholeCore} * jobs_[j].size;
  const std::size_t size = molding_->resize(j, order.nodes);
  used_cores_ += std::int64_t{kWholeCore} * jobs_[j].size;
  Duration stop = elastic_->standstill(j, std::abs(order.nodes - before.node_count));
  if (power_) {
    if (!order.gained.empty()) stop = std::max(stop, power_->job_comes(j, order.gained, now()).wait);
    power_->job_goes(j, lost, now());
  }
  job.rate = rate_with(job, molding_->all_sizes(j)[size]);
  for (Observer* o : observers_) o->resized(now(), j, before.nodes, job.nodes, stop);
  if (!(job.rate == before.rate))
    for (Observer* o : observers_) o->rate_changed(now(), j, job.rate);
  job.since = later(std::max(before.since, now()), stop);
  job.view->hold(job, job.node_count, expected_end_after(before, job));
  schedule_end(job);
  elastic_->change(job, size, Work(times_.runtime(j)) - job.work_left);
  Lane& lane = lane_of(j);
  lane.ended = true;  // others may start, or be promised earlier starts
  if (!lost.empty()) on_left_(lost);
  lane.scheduler.resized(*job.view, j, before.node_count);
}

void RunningJobs::handle_changes() {
  while (elastic_->next_time() <= now()) {
    const ElasticJobs::Due due = elastic_->take(now());
    const JobIndex j = due.job->index;
    if (due.change) change_nodes(*due.job);
    Lane& lane = lane_of(j);
    lane.ended = true;
    if (due.wish != nullptr) lane.scheduler.asks(*due.job->view, j, due.wish->nodes);
  }
}

/// It stands still, or goes on.
void RunningJobs::pause_elastic(StartedJob& job) {
  if (!is_elastic(job.index)) return;
  take_order_back(job);
  elastic_->change(job, elastic_->size(job.index), Work(times_.runtime(job.index)) - job.work_left);
}

/// The job has ended or was interrupted: it is again what it was when it started.
void RunningJobs::end_elastic(StartedJob& job) {
  const NodeRanges kept = elastic_->order(job.index).gained;
  if (!kept.empty()) occupied_.give_back(kept);
  molding_->take_size(job.index, elastic_->forget(job.index));
  if (!kept.empty()) on_left_(kept);
}

}  // namespace coslice

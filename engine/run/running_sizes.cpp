// Elastic jobs among those that hold nodes: their changes are ordered, wait for a point of their work, and come into
// force.
#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "core/refusals.h"
#include "run/cores_in_use.h"
#include "run/running_jobs.h"

namespace coslice {

/// What keeps jobs from changing their nodes; nothing: nothing does.
std::optional<Feature> RunningJobs::keeps_sizes() const {
  if (sliced()) return Feature::kSlices;
  if (shared_) return Feature::kGroups;
  if (contention_) return Feature::kContention;
  if (by_node_ && !classes_.front().ledger->resizes()) return Feature::kNodeParts;
  if (options_.event_order != EventOrder::kEndsFirst) return Feature::kSubmissionsFirst;
  return {};
}

void RunningJobs::use_elastic() {
  if (!keeps_sizes()) elastic_ = ElasticJobs::make(jobs_);
}

bool RunningJobs::is_elastic(JobIndex j) const { return elastic_ && elastic_->is_elastic(j); }

const std::vector<JobSize>* RunningJobs::elastic_sizes(const StartedJob& job) const {
  if (!is_elastic(job.index) || !elastic_->knows(job.index) || job.phase == Phase::kSuspended) return nullptr;
  return suspended_ && suspended_->borrows(job.index) ? nullptr : &molding_->all_sizes(job.index);
}

/// It begins to progress, or goes on.
void RunningJobs::begin_elastic(StartedJob& job) {
  if (!is_elastic(job.index)) return;
  if (!elastic_->knows(job.index)) {  // from a checkpoint on it has less to do than its sizes say
    const std::vector<JobSize>& sizes = molding_->all_sizes(job.index);
    const std::size_t size = molding_->size_of(job.index);
    const Duration all = times_.runtime(job.index);
    const double left = to_seconds(all) / to_seconds(sizes[size].runtime);
    return elastic_->start(job, {from_seconds(left * to_seconds(sizes.front().runtime)), all}, size);
  }
  const Duration left = elastic_->standstill_left(job.index);
  job.since = std::max(job.since, later(now(), left));
  schedule_end(job);
  pause_elastic(job);
}

/// The order is void, and its nodes are free.
void RunningJobs::take_order_back(StartedJob& job) {
  if (elastic_->order(job.index).nodes == 0) return;
  const Time end = expected_end_without_order(job);
  const ElasticJobs::Order order = elastic_->take_order(job.index);
  for (StartedJob* given_up : order.given_up) job.view->bring_back(*given_up);
  if (!order.gained.empty()) occupied_.give_back(order.gained);
  job.view->hold_nodes(job, job.nodes, end);
  if (job.phase == Phase::kRunning) {  // when it is found to have outrun its estimate, too
    account(job);
    schedule_end(job);
  }
  if (!order.gained.empty()) on_left_(order.gained);
}

void RunningJobs::void_order_on(NodeId n) {
  if (StartedJob* const keeper = elastic_ ? elastic_->keeper(n) : nullptr) take_order_back(*keeper);
}

/// The job is to stop before its order would come into force.
void RunningJobs::void_late_order(StartedJob& job) {
  if (is_elastic(job.index) && elastic_->knows(job.index) && elastic_->next_point(job, now()) == kNever)
    take_order_back(job);
}

bool RunningJobs::order_size(StartedJob& job, std::size_t i) {
  take_order_back(job);
  const JobSize& size = (*elastic_sizes(job))[i];
  ElasticJobs::Order order;
  order.nodes = size.nodes;
  if (order.nodes == job.node_count) return true;
  const Time point = elastic_->next_point(job, now());
  order.end_without = job.expected_end;
  order.end_with = expected_end_with(job, size);
  if (const std::int32_t more = order.nodes - job.node_count; more > 0) {
    order.gained =
        by_node_ ? classes_.front().ledger->more_nodes(job, more, order.end_with) : occupied_.idle().lowest(more);
    occupied_.keep(order.gained);
    if (point != now()) job.view->hold_nodes(job, together(job.nodes, order.gained), order.end_with);
  } else if (point != now() && point != kNever) {
    order.stay = nodes_to_keep(job.nodes, order.nodes);
    job.view->hold_nodes(job, order.stay, std::min(job.expected_end, order.end_with));  // there is room for all of this
    for_each_node(without(job.nodes, order.stay),
                  [&](NodeId n) { order.given_up.push_back(&job.view->take_down(n, point)); });
    job.view->hold_nodes(job, order.stay, order.end_with);
  }
  if (point != now()) {  // it may outrun its estimate at another time
    account(job);
    schedule_end(job);
  }
  elastic_->order(job, std::move(order), now());
  if (point == now()) change_nodes(job);
  return point == now();
}

/// When the elastic job will have done what it may do by its limit, and `over` more, at the rate that it has: a limit
/// of so much time with the nodes with which it started is one of so much work.
Time RunningJobs::work_over(const StartedJob& job, Duration over) const {
  const Work done = Work(times_.runtime(job.index)) - job.work_left;
  const Work left = work_allowed(job, over) - done;
  return later(std::max(job.since, now()), left.time_at(job.rate));
}

/// What the elastic job may do by its limit, and in a time of `over` more: what it would have done by then on the nodes
/// with which it started. Where limits end no job, all that it has to do.
Work RunningJobs::work_allowed(const StartedJob& job, Duration over) const {
  const JobIndex j = job.index;
  const Work allowed = Work::done(times_.limit(j) + over, elastic_->first_rate(j)), all(times_.runtime(j));
  return options_.at_limit != AtLimit::kKill && allowed < all ? all : allowed;
}

/// When the job, which was at another size until t, is believed to end with the one that it has then. One that was
/// believed to run until its limit is believed to do so still; so is one that is to stop, until then.
Time RunningJobs::expected_end_after(const StartedJob& before, const StartedJob& job, Time t) const {
  const auto until_limit = [&](const StartedJob& at) {
    const Work left = work_allowed(at, Duration{0}) - (Work(times_.runtime(at.index)) - at.work_left);
    return later(std::max(at.since, t), left.time_at(at.rate));
  };
  if (before.expected_end <= t) return before.expected_end;
  if (before.expected_end >= before.leaves) return before.leaves;
  const Time limit = until_limit(before);
  const Work left = Work::done(before.expected_end - std::max(before.since, t), before.rate);
  const bool to_limit = limit > t && before.expected_end >= limit;  // else it runs on beyond its limit, or ends before
  const Time end = to_limit ? until_limit(job) : later(job.since, left.time_at(job.rate));
  return std::min(std::max(end, later(t, Duration{1})), job.leaves);
}

Time RunningJobs::expected_end_without_order(const StartedJob& job) const {
  const ElasticJobs::Order& order = elastic_->order(job.index);
  return order.nodes != 0 && job.expected_end == order.end_with ? order.end_without : job.expected_end;
}

/// At which it progresses with that size on its nodes; at rate 1 with the one with which it started, on nodes of
/// speed 1.
Rate RunningJobs::rate_with(const StartedJob& job, const JobSize& size) const {
  const double alike = to_seconds(size.runtime) / to_seconds(jobs_[job.index].runtime);
  return Rate::of_slowdown(by_node_ ? alike / demands_->layout().slowest_speed(job.nodes) : alike);
}

/// Which of its nodes a job keeps that gives some up: the fastest, of those the lowest.
NodeRanges RunningJobs::nodes_to_keep(const NodeRanges& nodes, std::int32_t count) const {
  if (!by_node_) return NodeSet(machine_.nodes, nodes).lowest(count);
  std::vector<NodeId> kept;
  for_each_node(nodes, [&](NodeId n) { kept.push_back(n); });
  std::ranges::stable_sort(kept, std::greater<>(), [&](NodeId n) { return demands_->layout().kind_of(n).speed; });
  kept.resize(static_cast<std::size_t>(count));
  std::ranges::sort(kept);
  return as_ranges(std::move(kept));
}

/// The unit of the job's demand, which is that of another size now, that may have the same nodes.
std::int32_t RunningJobs::unit_like(JobIndex j, std::int32_t before) const {
  const DemandUnit& was = demands_->unit(before);
  for (const std::int32_t u : demands_->demand(j))
    if (demands_->unit(u).nodes == was.nodes && demands_->unit(u).partition == was.partition) return u;
  return before;
}

/// What the job, whose progress until t is counted, is when it has that size from then on.
StartedJob RunningJobs::resized(const StartedJob& before, const JobSize& size, Time t) const {
  StartedJob then = before;
  then.rate = rate_with(before, size);
  const std::int32_t change = std::abs(size.nodes - before.node_count);
  then.since = later(std::max(then.since, t), elastic_->standstill(before.index, change));
  return then;
}

Time RunningJobs::expected_end_with(const StartedJob& job, const JobSize& size) const {
  StartedJob before = job;
  before.expected_end = expected_end_without_order(job);
  const Time point = elastic_->next_point(job, now());
  if (point == kNever || size.nodes == job.node_count) return before.expected_end;
  before.count(point);
  return expected_end_after(before, resized(before, size, point), point);
}

/// The order comes into force.
void RunningJobs::change_nodes(StartedJob& job) {
  const JobIndex j = job.index;
  elastic_->reach(job, now());
  account(job);
  if (told_.count(j) == 0) {  // from now on its limit is one of work
    const Time over = limit_over(job);
    told_[j] = over <= now() ? over : kNever;
  }
  StartedJob before = job;
  before.expected_end = expected_end_without_order(job);
  const ElasticJobs::Order order = elastic_->take_order(j);
  for (StartedJob* given_up : order.given_up) job.view->bring_back(*given_up);
  NodeRanges lost;
  occupied_.go(job);
  const CoresInUse cores_before(job, jobs_[j].size, occupied_, demands_.get());
  used_cores_ -= cores_before.gone();
  if (order.nodes > before.node_count) {
    job.nodes = together(job.nodes, order.gained);
  } else {
    const NodeRanges stay = order.stay.empty() ? nodes_to_keep(job.nodes, order.nodes) : order.stay;
    lost = without(job.nodes, stay);
    job.nodes = stay;
  }
  occupied_.come(job);
  job.node_count = order.nodes;
  const std::size_t size = molding_->resize(j, order.nodes);
  if (demands_) job.unit = unit_like(j, job.unit);
  const CoresInUse cores_now(job, jobs_[j].size, occupied_, demands_.get());
  used_cores_ += cores_now.come();
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
  job.view->hold_nodes(job, job.nodes, expected_end_after(before, job, now()));
  schedule_end(job);
  elastic_->change(job, size, Work(times_.runtime(j)) - job.work_left);
  Lane& lane = lane_of(j);
  lane.ended = true;  // others may start, or be promised earlier starts
  if (!lost.empty()) on_left_(lost);
  lane.scheduler.resized(*job.view, j, before.node_count);
}

bool RunningJobs::survives(StartedJob& job, NodeId n) {
  const std::vector<JobSize>* const sizes = job.phase == Phase::kRunning ? elastic_sizes(job) : nullptr;
  if (sizes == nullptr || !elastic_->survives(job.index)) return false;
  take_order_back(job);
  const NodeRanges left = without(job.nodes, as_ranges({n}));
  const JobSize* largest = nullptr;
  for (const JobSize& s : *sizes)
    if (s.nodes <= left.count() && (largest == nullptr || s.nodes > largest->nodes)) largest = &s;
  if (largest == nullptr) return false;
  ElasticJobs::Order order;
  order.nodes = largest->nodes;
  order.stay = nodes_to_keep(left, largest->nodes);
  elastic_->order(job, std::move(order), now());
  change_nodes(job);
  return true;
}

void RunningJobs::handle_changes() {
  while (elastic_->next_time() <= now()) {
    const ElasticJobs::Due due = elastic_->take(now());
    const JobIndex j = due.job->index;
    if (due.change) change_nodes(*due.job);
    if (due.wish == nullptr) continue;
    Lane& lane = lane_of(j);
    lane.woken = true;  // nothing has changed by now
    lane.scheduler.asks(*due.job->view, j, due.wish->nodes);
  }
}

/// It stands still, or goes on.
void RunningJobs::pause_elastic(StartedJob& job) {
  if (!is_elastic(job.index)) return;
  take_order_back(job);
  elastic_->pause(job, Work(times_.runtime(job.index)) - job.work_left, now());
}

/// The job has ended or was interrupted: it is again what it was when it started.
void RunningJobs::end_elastic(StartedJob& job) {
  for (StartedJob* given_up : elastic_->order(job.index).given_up) job.view->bring_back(*given_up);
  const NodeRanges kept = elastic_->order(job.index).gained;
  if (!kept.empty()) occupied_.give_back(kept);
  molding_->take_size(job.index, elastic_->forget(job.index));
  if (!kept.empty()) on_left_(kept);
}

}  // namespace coslice

// Elastic jobs among those that hold nodes: their changes are ordered, wait for a point of their work, and come into
// force. Under time slices that is in slices of their class; what is said of it is in the time of the class, in which
// expected ends are, too.
#include <algorithm>

#include <fmt/format.h>

#include "availability/node_availability.h"
#include "core/error.h"
#include "core/refusals.h"
#include "machine/components.h"
#include "run/cores_in_use.h"
#include "run/running_jobs.h"

namespace coslice {

/// What keeps jobs from changing their nodes; nothing: nothing does.
std::optional<Feature> RunningJobs::keeps_sizes() const {
  if (shared_) return Feature::kGroups;
  if (contention_) return Feature::kContention;
  if (memory_.modelled()) return Feature::kSliceMemory;
  if (by_node_ && limits_are_work()) return Feature::kSlicedNodes;
  if (options_.event_order != EventOrder::kEndsFirst) return Feature::kSubmissionsFirst;
  return {};
}

void RunningJobs::use_elastic() {
  if (keeps_sizes()) return;
  elastic_ = ElasticJobs::make(jobs_, [&](JobIndex j) {
    return !by_node_ || std::ranges::all_of(demands_->demand(j), [&](std::int32_t unit) {
      return is_alike_on_nodes(demands_->request_of(unit));
    });
  });
}

bool RunningJobs::has_parts() const { return by_node_ && classes_.front().ledger->has_parts(); }

bool RunningJobs::is_elastic(JobIndex j) const { return elastic_ && elastic_->is_elastic(j); }

const std::vector<JobSize>* RunningJobs::elastic_sizes(const StartedJob& job) const {
  if (!is_elastic(job.index) || !elastic_->knows(job.index) || job.phase == Phase::kSuspended) return nullptr;
  return suspended_ && suspended_->borrows(job.index) ? nullptr : &molding_->all_sizes(job.index);
}

/// It begins to progress, or goes on. Under time slices what was ordered before waits on.
void RunningJobs::begin_elastic(StartedJob& job) {
  const JobIndex j = job.index;
  if (!is_elastic(j)) return;
  if (!elastic_->knows(j)) {  // from a checkpoint on it has less to do than its sizes say
    const std::vector<JobSize>& sizes = molding_->all_sizes(j);
    const std::size_t size = molding_->size_of(j);
    const Duration all = times_.runtime(j);
    const double left = to_seconds(all) / to_seconds(sizes[size].runtime);
    const bool away = !in_own_slice(job);
    return elastic_->start(job, {from_seconds(left * to_seconds(sizes.front().runtime)), all}, sizes, size, away);
  }
  job.since = std::max(job.since, later(now(), elastic_->standstill_left(j, now())));
  schedule_end(job);
  if (!sliced()) take_order_back(job);
  elastic_->pause(job, Work(times_.runtime(j)) - job.work_left, now());
  if (elastic_->order(j).nodes != 0) hold_order(job);
}

/// The time of its view when it is with its work where it is at t: when the work goes on from ElasticJobs::present().
Time RunningJobs::in_view(const StartedJob& job, Time t) const {
  return sliced() ? later(job.view->now(), t - elastic_->present(job.index, now())) : t;
}

/// The first instant from ElasticJobs::present() on at which it may change. A foreign job that finishes in the slice
/// has no nodes in its own view, and is never there again.
Time RunningJobs::own_point(const StartedJob& job) const {
  const bool finishes = job.phase == Phase::kRunning && job.foreign && !job.evictable && !in_own_slice(job);
  if (finishes) return kNever;
  return elastic_->next_point(job, elastic_->present(job.index, now()));
}

Time RunningJobs::next_point(const StartedJob& job) const {
  const Time point = own_point(job);
  return point == kNever ? kNever : in_view(job, point);
}

/// Where jobs are suspended, not all of them may change their nodes.
ElasticRoom RunningJobs::elastic_room(const View& view) const {
  if (!elastic_ || !suspended_) return elastic_ ? elastic_->room(view) : ElasticRoom{};
  ElasticRoom room;
  for (ElasticMember m = next_elastic(view, 0); m.job != nullptr; m = next_elastic(view, m.number + 1)) {
    room.spare += m.nodes - m.least;
    room.more += m.most - m.nodes;
    room.leaving += std::max(m.job->node_count - m.nodes, 0);
  }
  return room;
}

ElasticMember RunningJobs::next_elastic(const View& view, std::uint64_t from) const {
  if (!elastic_) return {};
  ElasticMember m = elastic_->next(view, from);
  while (m.job != nullptr && elastic_sizes(*m.job) == nullptr) m = elastic_->next(view, m.number + 1);
  return m;
}

/// Under time slices, for how long it does nothing yet because its nodes changed.
Duration RunningJobs::standstill_left(const StartedJob& job) const {
  if (!sliced() || !is_elastic(job.index) || !elastic_->knows(job.index)) return Duration{0};
  return job.phase == Phase::kRunning ? std::max(job.since - now(), Duration{0})
                                      : elastic_->standstill_left(job.index, now());
}

/// Under time slices, when the job is believed to end as it is.
Time RunningJobs::rest_end(const StartedJob& job) const {
  const Work left = job.planned_left - job.done_until(now());
  const Time end = later(job.view->now(), loading_left(job) + standstill_left(job) + left.time_at(job.rate));
  return std::min(end, leaves_in_slice(job));
}

/// Its class goes on to have what was free for it; so much can be taken in this pass.
void RunningJobs::renew_ceiling(const StartedJob& job) {
  if (sliced() && in_own_slice(job)) lane_of(job.index).set_ceiling(startable_count() + evictable_nodes());
}

/// In slices of its class nobody else has these nodes.
void RunningJobs::keep_for(const StartedJob& job, const NodeRanges& nodes) {
  if (!elastic_->is_away(job.index)) occupied_.keep(nodes);
  if (sliced()) allocations_->keep(class_of(job), nodes);
}

void RunningJobs::give_back_kept(const StartedJob& job, const NodeRanges& nodes) {
  if (!elastic_->is_away(job.index)) occupied_.give_back(nodes);
  if (sliced()) allocations_->give_back(job, class_of(job), nodes);
}

void RunningJobs::set_away(StartedJob& job, bool away) {
  const JobIndex j = job.index;
  if (!is_elastic(j) || !elastic_->knows(j) || elastic_->is_away(j) == away) return;
  const NodeRanges& kept = elastic_->order(j).gained;
  if (!kept.empty() && away) occupied_.give_back(kept);
  if (!kept.empty() && !away) occupied_.keep(kept);
  elastic_->set_away(j, away, now());
}

/// The order is void, and its nodes are free.
void RunningJobs::take_order_back(StartedJob& job) {
  if (elastic_->order(job.index).nodes == 0) return;
  const Time end = sliced() ? rest_end(job) : expected_end_without_order(job);
  const ElasticJobs::Order order = elastic_->take_order(job.index);
  for (StartedJob* given_up : order.given_up) job.view->bring_back(*given_up);
  if (!order.gained.empty()) give_back_kept(job, order.gained);
  const bool held = !sliced() || !order.given_up.empty() || !order.gained.empty();
  if (held) job.view->hold_nodes(job, job.nodes, end);
  if (job.phase == Phase::kRunning) {  // when it is found to have outrun its estimate, too
    account(job);
    schedule_end(job);
  }
  if (!order.gained.empty()) on_left_(order.gained);
  renew_ceiling(job);
}

void RunningJobs::void_order_on(NodeId n) {
  while (StartedJob* const keeper = elastic_ ? elastic_->keeper(n) : nullptr) take_order_back(*keeper);
}

/// The job is to stop before its order would come into force.
void RunningJobs::void_late_order(StartedJob& job) {
  if (is_elastic(job.index) && elastic_->knows(job.index) && own_point(job) == kNever) take_order_back(job);
}

/// Of equal nodes idle ones; foreign jobs stop for them. Between the slices of its class nothing else is free than what
/// was kept for the job so far.
NodeRanges RunningJobs::nodes_to_gain(const StartedJob& job, std::int32_t more, const NodeRanges& kept) {
  if (!sliced()) return occupied_.idle().lowest(more);
  if (!in_own_slice(job)) return NodeSet(machine_.nodes, kept).lowest(more);
  evict_for(more);
  return choose_for(*job.view, job.index, more, startable());
}

/// Its ledger holds what it gives up until the point, and the rest until the end with the order.
void RunningJobs::hold_fewer(StartedJob& job, ElasticJobs::Order& order, Time point) {
  const Time until = in_view(job, point);
  HostedView& view = *job.view;
  if (order.given_up.empty()) {
    if (order.stay.empty()) order.stay = nodes_to_keep(job.nodes, order.nodes);
    view.hold_nodes(job, order.stay, std::min(job.expected_end, order.end_with));  // there is room for all of this
    order.given_up = view.give_up(job, without(job.nodes, order.stay), until);
  } else {
    for (StartedJob* given_up : order.given_up) view.hold(*given_up, given_up->held, until);
  }
  view.hold_nodes(job, order.stay, order.end_with);
}

bool RunningJobs::order_size(StartedJob& job, std::size_t i) {
  const NodeRanges kept = elastic_->order(job.index).gained;
  const JobSize& size = (*elastic_sizes(job))[i];
  const std::int32_t more = size.nodes - job.node_count;
  ElasticJobs::Order order;
  order.nodes = size.nodes;
  // Before what was ordered is taken back, which may let reservations come to where the job is to grow.
  if (by_node_ && more > 0)
    order.gained = classes_.front().ledger->more_nodes(job, kept, more, expected_end_with(job, size));
  take_order_back(job);
  if (order.nodes == job.node_count) return true;
  const Time point = own_point(job);
  const bool at_once = point == now() && in_own_slice(job);
  order.end_without = job.expected_end;
  order.end_with = expected_end_with(job, size);
  if (more > 0) {
    if (!by_node_) order.gained = nodes_to_gain(job, more, kept);
    keep_for(job, order.gained);
    // Where it has parts of nodes, the ledger says which.
    if (!at_once || has_parts()) job.view->hold_nodes(job, together(job.nodes, order.gained), order.end_with);
  } else if (!at_once && point != kNever) {
    hold_fewer(job, order, point);
  }
  if (!at_once && job.phase == Phase::kRunning) {  // it may outrun its estimate at another time
    account(job);
    schedule_end(job);
  }
  elastic_->order(job, std::move(order), now());
  if (at_once) change_nodes(job);
  else renew_ceiling(job);
  return at_once;
}

/// Under time slices: what it does while its class has no slice, and when it begins to progress, move the point at
/// which its order comes into force.
void RunningJobs::hold_order(StartedJob& job) {
  const Time point = own_point(job);
  ElasticJobs::Order order = elastic_->take_order(job.index);
  const std::vector<JobSize>& sizes = molding_->all_sizes(job.index);
  order.end_with = expected_end_with(job, sizes[find_size(sizes, order.nodes)]);
  if (!order.gained.empty()) {
    job.view->hold_nodes(job, together(job.nodes, order.gained), order.end_with);
  } else if (point != kNever) {
    hold_fewer(job, order, point);
  } else {
    for (StartedJob* given_up : std::exchange(order.given_up, {})) job.view->bring_back(*given_up);
    order.stay = {};
    job.view->hold_nodes(job, job.nodes, rest_end(job));
  }
  elastic_->order(job, std::move(order), now());
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

/// Which of its nodes a job keeps that gives some up.
NodeRanges RunningJobs::nodes_to_keep(const NodeRanges& nodes, std::int32_t count) const {
  return by_node_ ? classes_.front().ledger->nodes_to_keep(nodes, count) : NodeSet(machine_.nodes, nodes).lowest(count);
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
  const Time point = own_point(job);
  const bool changes = point != kNever && size.nodes != job.node_count;
  StartedJob before = job;
  if (sliced()) {
    if (!changes) return rest_end(job);
    const Time present = elastic_->present(job.index, now());
    if (before.phase != Phase::kRunning) {  // as it will go on
      before.phase = Phase::kRunning;
      before.since = later(present, standstill_left(job));
    }
    before.count(point);
    const StartedJob then = resized(before, size, point);
    const Time end = later(then.since, then.planned_left.time_at(then.rate));
    return std::min(in_view(job, end), leaves_in_slice(job));
  }
  before.expected_end = expected_end_without_order(job);
  if (!changes) return before.expected_end;
  before.count(point);
  return expected_end_after(before, resized(before, size, point), point);
}

/// The order comes into force.
void RunningJobs::change_nodes(StartedJob& job) {
  const JobIndex j = job.index;
  elastic_->reach(job, now());
  account(job);
  if (!limits_are_work() && told_.count(j) == 0) {  // from now on its limit is one of work
    const Time over = limit_over(job);
    told_[j] = over <= now() ? over : kNever;
  }
  StartedJob before = job;
  before.expected_end = expected_end_without_order(job);
  const ElasticJobs::Order order = elastic_->take_order(j);
  for (StartedJob* given_up : order.given_up) job.view->bring_back(*given_up);
  NodeRanges lost;
  occupied_.go(job);
  occupied_.give_back(order.gained);
  if (allocations_) {
    allocations_->remove(job, class_of(job), memory_.need(j));
    allocations_->give_back(job, class_of(job), order.gained);
  }
  const CoresInUse cores_before(job, jobs_[j].size, occupied_, demands_.get());
  used_cores_ -= cores_before.gone();
  if (order.nodes > before.node_count) {
    job.nodes = together(job.nodes, order.gained);
  } else {
    const NodeRanges stay = order.stay.empty() ? nodes_to_keep(job.nodes, order.nodes) : order.stay;
    lost = without(job.nodes, stay);
    job.nodes = stay;
  }
  const bool parts = has_parts();
  if (parts) job.parts = classes_.front().ledger->parts_on(job, job.nodes);
  occupied_.come(job);
  if (allocations_) allocations_->add(job, class_of(job), memory_.need(j));
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
  for (Observer* o : observers_) {
    if (parts) o->placed(now(), j, job.parts, demands_->unit(job.unit).partition);
    o->resized(now(), j, before.nodes, job.nodes, stop);
  }
  if (!(job.rate == before.rate))
    for (Observer* o : observers_) o->rate_changed(now(), j, job.rate);
  job.since = later(std::max(before.since, now()), stop);
  job.view->hold_nodes(job, job.nodes, sliced() ? rest_end(job) : expected_end_after(before, job, now()));
  schedule_end(job);
  elastic_->change(job, size, Work(times_.runtime(j)) - job.work_left);
  Lane& lane = lane_of(j);
  lane.ended = true;  // others may start, or be promised earlier starts
  if (!lost.empty()) on_left_(lost);
  renew_ceiling(job);
  lane.scheduler.resized(*job.view, j, before.node_count);
}

bool RunningJobs::survives(StartedJob& job, NodeId n) {
  const bool runs = job.phase == Phase::kRunning && in_own_slice(job);
  const std::vector<JobSize>* const sizes = runs ? elastic_sizes(job) : nullptr;
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

/// Its class has no slice any more, or it makes way; its order waits.
void RunningJobs::preempt_elastic(StartedJob& job) {
  if (is_elastic(job.index)) elastic_->pause(job, Work(times_.runtime(job.index)) - job.work_left, now());
}

/// The job has ended or was interrupted: it is again what it was when it started.
void RunningJobs::end_elastic(StartedJob& job) {
  for (StartedJob* given_up : elastic_->order(job.index).given_up) job.view->bring_back(*given_up);
  const NodeRanges kept = elastic_->order(job.index).gained;
  if (!kept.empty()) give_back_kept(job, kept);
  molding_->take_size(job.index, elastic_->forget(job.index));
  if (!kept.empty()) on_left_(kept);
}

}  // namespace coslice

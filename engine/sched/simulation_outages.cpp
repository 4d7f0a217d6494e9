// Nodes that go and come back, and the jobs on them.
#include <algorithm>

#include "cluster/node_ids.h"
#include "sched/simulation.h"

namespace coslice {

/// Nodes come back before others go: what comes back now may be what fails again.
bool Simulation::handle_outages() {
  if (!outages_) return false;
  bool any = false;
  while (const std::optional<NodeId> n = outages_->take_due(now_)) any = look_after(*n) || any;
  while (const std::optional<Outage> outage = outages_->take_begun(now_)) {
    if (outage->to <= now_) continue;
    for (Observer* o : observers_) o->outage_begun(now_, *outage);
    if (outage->kind == OutageKind::kMaintenance) view_.forget_outage(outage->nodes, outage->from, outage->to);
    for_each_node(outage->nodes, [&](NodeId n) { begin_outage(n, *outage); });
    any = true;
  }
  return any;
}

/// The node is there again, or is believed to be away for longer.
bool Simulation::look_after(NodeId n) {
  NodeOutages::Node& node = outages_->at(n);
  if (node.until <= now_) {
    node.draining = false;
    outages_->stop_waiting(n);
    if (node.down == nullptr) return false;
    if (book_ == nullptr) cluster_.vacate(node.down->nodes);
    view_.bring_back(*node.down);
    node.down = nullptr;
    if (outages_->tell(n, false))
      for (Observer* o : observers_) o->node_up(now_, n);
    return true;
  }
  if (node.down == nullptr || node.believed > now_) return false;
  node.believed = later(now_, *outages_->options().believed_repair);
  view_.hold(*node.down, 1, node.believed);
  outages_->look_again(n, node.believed);
  return true;
}

/// Maintenance is known from the beginning.
void Simulation::plan_maintenance() {
  for (const Outage& o : outages_->options().plan.listed)
    if (o.kind == OutageKind::kMaintenance && o.to > now_) view_.plan_outage(o.nodes, o.from, o.to);
}

void Simulation::begin_outage(NodeId n, const Outage& outage) {
  NodeOutages::Node& node = outages_->at(n);
  const bool longer = outage.to > node.until;
  node.until = std::max(node.until, outage.to);
  if (longer) outages_->look_again(n, node.until);
  if (outage.kind == OutageKind::kFailure) {
    node.kind = OutageKind::kFailure;
    interrupt_jobs_on(n);
  } else if (node.down == nullptr) {
    node.kind = outage.kind;
  }
  if (node.down != nullptr) {
    if (longer) believe_away(n);
  } else if (book_ == nullptr ? outages_->jobs_on(n) == 0 : book_->can_take_down(n)) {
    take_down(n);
  } else {
    node.draining = true;
    outages_->wait_for_jobs(n);
  }
}

/// Until when schedulers think that the node is away: of a failed one they may not know.
void Simulation::believe_away(NodeId n) {
  NodeOutages::Node& node = outages_->at(n);
  const std::optional<Duration>& guess = outages_->options().believed_repair;
  const bool known = !guess || node.kind != OutageKind::kFailure;
  node.believed = known ? node.until : later(now_, *guess);
  if (node.down != nullptr) view_.hold(*node.down, 1, node.believed);
  if (node.believed != node.until) outages_->look_again(n, node.believed);
}

void Simulation::take_down(NodeId n) {
  NodeOutages::Node& node = outages_->at(n);
  node.draining = false;
  believe_away(n);
  if (book_ == nullptr) cluster_.occupy(as_ranges({n}));
  node.down = &view_.take_down(n, node.believed);
  outages_->wait_for_jobs(n);
  tell_down(n);
}

/// Nodes on which jobs still run are not away yet.
void Simulation::tell_down(NodeId n) {
  const NodeOutages::Node& node = outages_->at(n);
  if (node.down == nullptr || outages_->jobs_on(n) != 0 || !outages_->tell(n, true)) return;
  outages_->stop_waiting(n);
  for (Observer* o : observers_) o->node_down(now_, n, node.kind);
}

/// Nodes that were waited for are not given to others.
void Simulation::take_down_drained(const NodeRanges& nodes) {
  if (outages_->waiting_for_jobs().empty()) return;
  const std::vector<NodeId> waiting(outages_->waiting_for_jobs().begin(), outages_->waiting_for_jobs().end());
  for (const NodeId n : waiting) {
    if (common_nodes(nodes, as_ranges({n})) == 0) continue;
    if (outages_->at(n).draining && (book_ == nullptr ? outages_->jobs_on(n) == 0 : book_->can_take_down(n)))
      take_down(n);
    else tell_down(n);
  }
}

void Simulation::interrupt_jobs_on(NodeId n) {
  const std::int32_t jobs = outages_->jobs_on(n);
  if (jobs == 0) return;
  const NodeRanges node = as_ranges({n});
  std::vector<StartedJob*> struck;
  for (StartedJob& job : view_.started_jobs()) {
    if (common_nodes(job.nodes, node) != 0) struck.push_back(&job);
    if (std::ssize(struck) == jobs) break;
  }
  const bool requeue = outages_->options().interrupted == AfterFailure::kRequeued;
  for (StartedJob* job : struck) {
    const JobIndex j = job->index;
    interrupt(*job, {InterruptedBy::kFailure, requeue, nullptr, kNoJob});
    if (requeue) requeue_job(j);
  }
}

void Simulation::requeue_job(JobIndex j) {
  if (too_late(j)) return reject(j);
  if (outages_->options().place == RequeuePlace::kFront) view_.put_first(j);
  submit_job(j);
}

}  // namespace coslice

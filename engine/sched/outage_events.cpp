#include "sched/outage_events.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "cluster/node_set.h"
#include "core/error.h"

namespace coslice {

Time NodeOutages::next_time() const {
  return due_.empty() ? feed_.next_time() : std::min(feed_.next_time(), due_.front().time);
}

void NodeOutages::look_again(NodeId n, Time t) {
  due_.push_back({t, n});
  std::push_heap(due_.begin(), due_.end(), std::greater<>{});
}

std::optional<NodeId> NodeOutages::take_due(Time now) {
  if (due_.empty() || due_.front().time > now) return std::nullopt;
  const NodeId n = due_.front().node;
  std::pop_heap(due_.begin(), due_.end(), std::greater<>{});
  due_.pop_back();
  return n;
}

std::optional<Outage> NodeOutages::take_begun(Time now) {
  if (feed_.next_time() > now || feed_.next_time() == kNever) return std::nullopt;
  return feed_.pop();
}

namespace {

/// Failures of nodes that had jobs, without the end of any job: many times what a machine sees in its life.
constexpr std::int64_t kFailuresInVain = 100'000;

}  // namespace

bool OutageEvents::handle(Time now, std::size_t ended) {
  bool any = false;
  if (ended != ended_) ended_ = ended, struck_ = 0;
  while (const std::optional<NodeId> n = nodes_.take_due(now)) any = look_after(*n, now) || any;
  while (const std::optional<Outage> outage = nodes_.take_begun(now)) {
    if (outage->to <= now) continue;
    for (Observer* o : observers_) o->outage_begun(now, *outage);
    if (outage->kind == OutageKind::kMaintenance) host_.maintenance_begins(*outage);
    for_each_node(outage->nodes, [&](NodeId n) { begin(n, *outage, now); });
    any = true;
  }
  return any;
}

/// The node is there again, or is believed to be away for longer.
bool OutageEvents::look_after(NodeId n, Time now) {
  NodeOutages::Node& node = nodes_.at(n);
  if (node.until <= now) {
    node.draining = false;
    nodes_.stop_waiting(n);
    if (!node.down) return false;
    node.down = false;
    if (host_.bring_back(n))
      for (Observer* o : observers_) o->node_up(now, n);
    return true;
  }
  if (!node.down || node.believed > now) return false;
  node.believed = later(now, *options().believed_repair);
  host_.believe_down(n, node.believed);
  nodes_.look_again(n, node.believed);
  return true;
}

void OutageEvents::begin(NodeId n, const Outage& outage, Time now) {
  NodeOutages::Node& node = nodes_.at(n);
  const bool longer = outage.to > node.until;
  node.until = std::max(node.until, outage.to);
  if (longer) nodes_.look_again(n, node.until);
  if (outage.kind == OutageKind::kFailure) {
    node.kind = OutageKind::kFailure;
    if (host_.jobs_on(n) != 0) interrupt_jobs_on(n, now);
  } else if (!node.down) {
    node.kind = outage.kind;
  }
  if (node.down) {
    if (longer) host_.believe_down(n, believed(n, now));
  } else if (host_.can_take_down(n)) {
    take_down(n, now);
  } else {
    node.draining = true;
    nodes_.wait_for_jobs(n);
  }
}

void OutageEvents::interrupt_jobs_on(NodeId n, Time now) {
  host_.interrupt_jobs_on(n);
  if (options().interrupted != AfterFailure::kRequeued || ++struck_ < kFailuresInVain) return;
  const Diagnostic d = {"", 0,
                        fmt::format("at {} s: nodes have failed under jobs {} times since a job last ended, {}",
                                    format_seconds(now.time_since_epoch()), struck_, host_.most_interrupted()),
                        "runs that are shorter than the time between failures of their nodes",
                        "try a longer mtbf, checkpoint_interval = \"daly\", or interrupted = \"lose\"", ""};
  throw SimulationError(d.message());
}

/// Until when schedulers think that the node is away: of a failed one they may not know.
Time OutageEvents::believed(NodeId n, Time now) {
  NodeOutages::Node& node = nodes_.at(n);
  const std::optional<Duration>& guess = options().believed_repair;
  const bool known = !guess || node.kind != OutageKind::kFailure;
  node.believed = known ? node.until : later(now, *guess);
  if (node.believed != node.until) nodes_.look_again(n, node.believed);
  return node.believed;
}

void OutageEvents::take_down(NodeId n, Time now) {
  NodeOutages::Node& node = nodes_.at(n);
  node.draining = false;
  node.down = true;
  host_.take_down(n, believed(n, now));
  nodes_.wait_for_jobs(n);
  tell_down(n, now);
}

/// Nodes on which jobs still run are not away yet.
void OutageEvents::tell_down(NodeId n, Time now) {
  const NodeOutages::Node& node = nodes_.at(n);
  if (!node.down || host_.jobs_on(n) != 0) return;
  nodes_.stop_waiting(n);
  host_.is_gone(n);
  for (Observer* o : observers_) o->node_down(now, n, node.kind);
}

void OutageEvents::nodes_left(const NodeRanges& nodes, Time now) {
  if (nodes_.waiting_for_jobs().empty()) return;
  const std::vector<NodeId> waiting(nodes_.waiting_for_jobs().begin(), nodes_.waiting_for_jobs().end());
  for (const NodeId n : waiting) {
    if (common_nodes(nodes, as_ranges({n})) == 0) continue;
    const NodeOutages::Node& node = nodes_.at(n);
    if (node.draining && host_.can_take_down(n)) {
      take_down(n, now);
      continue;
    }
    if (node.down) host_.left_by_job(n, node.believed);
    tell_down(n, now);
  }
}

}  // namespace coslice

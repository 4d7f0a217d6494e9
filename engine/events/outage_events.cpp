#include "events/outage_events.h"

#include <fmt/format.h>

namespace coslice {

/// Failures of nodes that had jobs, without the end of any job: many times what a machine sees in its life.
static constexpr std::int64_t kFailuresInVain = 100'000;

bool OutageEvents::handle(Time now, std::size_t ended) {
  bool any = false;
  if (ended != ended_) ended_ = ended, struck_ = 0;
  while (!due_.empty() && due_.next_time() <= now) any |= look_after(due_.pop().node, now);
  while (feed_.next_time() <= now && feed_.next_time() != kNever) {
    const Outage outage = feed_.pop();
    if (outage.to <= now) continue;
    for (Observer* o : observers_) o->outage_begun(now, outage);
    if (outage.kind == OutageKind::kMaintenance) host_.maintenance_begins(outage);
    for_each_node(outage.nodes, [&](NodeId n) { begin(n, outage, now); });
    any = true;
  }
  return any;
}

/// Brings the node up, or makes schedulers believe that it is down for longer.
bool OutageEvents::look_after(NodeId n, Time now) {
  Node& node = at(n);
  if (node.until <= now) {
    node.draining = false;
    waiting_.erase(n);
    if (!node.down) return false;
    node.down = false;
    if (host_.bring_back(n))
      for (Observer* o : observers_) o->node_up(now, n);
    return true;
  }
  if (!node.down || node.believed > now) return false;
  node.believed = std::max(later(now, *options_.believed_repair), node.known);
  host_.believe_down(n, node.believed);
  due_.push({node.believed, n});
  return true;
}

void OutageEvents::goes(NodeId n, Time now) {
  constexpr Duration kFar = whole_seconds(std::int64_t{365} * 86400);
  const Outage outage{now, later(now, kFar), as_ranges({n}), OutageKind::kDrain};
  for (Observer* o : observers_) o->outage_begun(now, outage);
  begin(n, outage, now);
}

void OutageEvents::begin(NodeId n, const Outage& outage, Time now) {
  host_.goes(n);
  Node& node = at(n);
  const bool longer = outage.to > node.until;
  node.until = std::max(node.until, outage.to);
  if (outage.kind != OutageKind::kFailure) node.known = std::max(node.known, outage.to);
  if (longer) due_.push({node.until, n});
  if (outage.kind == OutageKind::kFailure) {
    node.kind = OutageKind::kFailure;
    if (host_.jobs_on(n) != 0) interrupt_jobs_on(n, now);
  } else if (!node.down) {
    node.kind = outage.kind;
  }
  if (node.down) {
    if (longer) {
      host_.believe_down(n, believed(n, now));
    } else if (node.believed < node.known) {
      node.believed = node.known;
      due_.push({node.believed, n});
      host_.believe_down(n, node.believed);
    }
  } else if (host_.can_take_down(n)) {
    take_down(n, now);
  } else {
    node.draining = true;
    waiting_.insert(n);
  }
}

void OutageEvents::interrupt_jobs_on(NodeId n, Time now) {
  host_.interrupt_jobs_on(n);
  if (options_.interrupted != AfterFailure::kRequeued || ++struck_ < kFailuresInVain) return;
  const Diagnostic d = {"",
                        0,
                        fmt::format("at {} s: nodes have failed under jobs {} times since a job last ended, {}",
                                    format_seconds(now.time_since_epoch()), struck_, host_.most_interrupted()),
                        "runs that are shorter than the time between failures of their nodes",
                        "try a longer mtbf, checkpoint_interval = \"daly\", or interrupted = \"lose\"",
                        ""};
  throw SimulationError(d.message());
}

/// Returns until when schedulers believe that the node is down: of a failed one that may be wrong.
Time OutageEvents::believed(NodeId n, Time now) {
  Node& node = at(n);
  const std::optional<Duration>& guess = options_.believed_repair;
  const bool known = !guess || node.kind != OutageKind::kFailure;
  node.believed = known ? node.until : std::max(later(now, *guess), node.known);
  if (node.believed != node.until) due_.push({node.believed, n});
  return node.believed;
}

void OutageEvents::take_down(NodeId n, Time now) {
  Node& node = at(n);
  node.draining = false;
  node.down = true;
  host_.take_down(n, believed(n, now));
  waiting_.insert(n);
  tell_down(n, now);
}

/// Nodes on which jobs still run are not down yet.
void OutageEvents::tell_down(NodeId n, Time now) {
  const Node& node = at(n);
  if (!node.down || host_.jobs_on(n) != 0) return;
  waiting_.erase(n);
  host_.is_gone(n);
  for (Observer* o : observers_) o->node_down(now, n, node.kind);
}

void OutageEvents::nodes_left(const NodeRanges& nodes, Time now) {
  for (const NodeId n : std::vector<NodeId>(waiting_.begin(), waiting_.end())) {
    if (common_nodes(nodes, as_ranges({n})) == 0) continue;
    const Node& node = at(n);
    if (node.until <= now) continue;  // it is back at this instant
    if (node.draining && host_.can_take_down(n)) {
      take_down(n, now);
      continue;
    }
    if (node.down) host_.left_by_job(n, node.believed);
    tell_down(n, now);
  }
}

}  // namespace coslice

#include "events/node_power.h"

namespace coslice {

NodePower::NodePower(const PowerOptions& options, const Occupancy& occupancy, std::size_t jobs, Time start)
    : occupancy_(occupancy), start_(start), nodes_(static_cast<std::size_t>(occupancy.idle().size())),
      boot_at_(jobs, -1) {
  record_.options = options;
  record_.busy.resize(nodes_.size());
  for (Node& node : nodes_) node.free_since = node.up = start;
  const Duration long_ago = options.idle + options.shutdown + whole_seconds(1);
  for_each_node(options.off_at_first, [&](NodeId n) { at(n).free_since = start - long_ago; });
  for_each_node(options.stays_on, [&](NodeId n) { at(n).stays_on = true; });
}

JobBoot NodePower::job_comes(JobIndex j, const NodeRanges& nodes, Time now) {
  JobBoot boot{j, now, Duration{0}, nodes.count(), 0};
  for_each_node(nodes, [&](NodeId n) {
    Node& node = at(n);
    if (const Time off = off_since(node); off < now) {
      node.up = later(std::max(now, later(off, record_.options.shutdown)), record_.options.boot);
      node.last = static_cast<std::int32_t>(record_.off.size());
      record_.off.push_back({n, in_run(off), now, node.up});
      ++boot.off;
    }
    if (node.free_since != kNever) node.busy_since = now;
    node.free_since = kNever;
    boot.wait = std::max(boot.wait, node.up - now);
  });
  boot_at_[j] = -1;
  if (boot.wait > Duration{0} || boot.off != 0) {
    boot_at_[j] = static_cast<std::int32_t>(record_.boots.size());
    record_.boots.push_back(boot);
  }
  return boot;
}

/// One that is still coming up is free from when it is up.
void NodePower::job_goes(JobIndex j, const NodeRanges& nodes, Time now) {
  if (const std::int32_t i = boot_at_[j]; i >= 0) {
    JobBoot& boot = record_.boots[static_cast<std::size_t>(i)];
    boot.wait = std::min(boot.wait, now - boot.from);
  }
  for_each_node(nodes, [&](NodeId n) {
    if (occupancy_.jobs_on(n) != 0) return;
    Node& node = at(n);
    record_.busy[static_cast<std::size_t>(n)] += std::max(0.0, to_seconds(now - std::max(node.busy_since, node.up)));
    node.free_since = std::max(now, node.up);
  });
}

void NodePower::goes_down(NodeId n, Time now) {
  Node& node = at(n);
  if (const Time off = off_since(node); off < now) record_.off.push_back({n, in_run(off), now, now});
  else if (node.up > now && node.last >= 0) record_.off[static_cast<std::size_t>(node.last)].up = now;
  node.free_since = kNever;
}

}  // namespace coslice

#include "observers/busy_nodes.h"

#include "cluster/node_ids.h"
#include "resources/layout.h"

namespace coslice {

BusyNodes::BusyNodes(const MachineSpec& machine)
    : nodes_(static_cast<std::size_t>(machine.nodes)) {
  const auto kinds = kinds_of(machine);
  seconds_.resize(kinds->kinds.size());
  for (NodeId n = 0; n != machine.nodes; ++n)
    nodes_[static_cast<std::size_t>(n)].kind = static_cast<std::size_t>(kinds->kind_index(n));
}

void BusyNodes::come(Time t, JobIndex j, const NodeRanges& nodes) {
  if (!on_.emplace(j, nodes).second) return;
  for_each_node(nodes, [&](NodeId n) {
    Node& node = nodes_[static_cast<std::size_t>(n)];
    if (node.jobs++ == 0) node.since = t;
  });
}

/// One that is preempted has gone by the time at which it is stopped for good.
void BusyNodes::go(Time t, JobIndex j) {
  const auto its = on_.find(j);
  if (its == on_.end()) return;
  for_each_node(its->second, [&](NodeId n) {
    Node& node = nodes_[static_cast<std::size_t>(n)];
    if (--node.jobs == 0) seconds_[node.kind] += to_seconds(t - node.since);
  });
  on_.erase(its);
}

}  // namespace coslice

#pragma once

#include "cluster/node_set.h"

namespace coslice {

/// Calls f with each node of the ranges, in ascending order.
template <class F>
void for_each_node(const NodeRanges& nodes, F&& f) {
  for (const NodeRange& r : nodes.ranges())
    for (NodeId n = r.first; n <= r.last; ++n) f(n);
}

}  // namespace coslice

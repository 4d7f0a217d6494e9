#pragma once

#include <algorithm>
#include <cstdint>

#include "cluster/node_set.h"

namespace coslice {

/// Calls f with each node of the ranges, in ascending order.
template <class F>
void for_each_node(const NodeRanges& nodes, F&& f) {
  for (const NodeRange& r : nodes.ranges())
    for (NodeId n = r.first; n <= r.last; ++n) f(n);
}

/// How many nodes both have.
inline std::int32_t common_nodes(const NodeRanges& a, const NodeRanges& b) {
  std::int32_t n = 0;
  for (const NodeRange& r : a.ranges())
    for (const NodeRange& s : b.ranges()) n += std::max(0, std::min(r.last, s.last) - std::max(r.first, s.first) + 1);
  return n;
}

/// The nodes, in any order and each once, as ranges.
inline NodeRanges as_ranges(std::vector<NodeId> nodes) {
  std::sort(nodes.begin(), nodes.end());
  NodeRanges ranges;
  for (const NodeId n : nodes) ranges.append(n, n);
  return ranges;
}

}  // namespace coslice

// How many running jobs are on each node, where several may be.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/node_ids.h"
#include "cluster/node_set.h"

namespace coslice {

class NodeUse {
 public:
  explicit NodeUse(std::int32_t nodes) : jobs_(static_cast<std::size_t>(nodes)) {}

  /// A job comes to these nodes. Returns those of them that were idle.
  NodeRanges enter(const NodeRanges& nodes) {
    NodeRanges taken;
    for_each_node(nodes, [&](NodeId n) {
      if (jobs_[static_cast<std::size_t>(n)]++ == 0) taken.append(n, n);
    });
    return taken;
  }
  /// A job leaves them. Returns those of them that are idle now.
  NodeRanges leave(const NodeRanges& nodes) {
    NodeRanges left;
    for_each_node(nodes, [&](NodeId n) {
      if (--jobs_[static_cast<std::size_t>(n)] == 0) left.append(n, n);
    });
    return left;
  }

 private:
  std::vector<std::int32_t> jobs_;  ///< by node
};

}  // namespace coslice

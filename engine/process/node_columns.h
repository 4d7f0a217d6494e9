// Which processors are those of a node: the columns of a matrix, one for each processor of the machine, node after
// node.
#pragma once

#include <algorithm>
#include <vector>

#include "machine/node_set.h"

namespace coslice {

class NodeColumns {
 public:
  /// Makes equal nodes of so many processors; the last one has what is left.
  NodeColumns(std::int32_t processors, std::int32_t per_node) {
    for (std::int32_t c = 0; c < processors; c += per_node) add(std::min(per_node, processors - c));
  }
  /// Makes nodes with so many processors each, by NodeId.
  explicit NodeColumns(const std::vector<std::int32_t>& processors) {
    for (const std::int32_t n : processors) add(n);
  }

  std::int32_t count() const { return static_cast<std::int32_t>(node_of_.size()); }
  std::int32_t nodes() const { return static_cast<std::int32_t>(first_.size()) - 1; }
  NodeId node_of(std::int32_t column) const { return node_of_[static_cast<std::size_t>(column)]; }
  /// Returns the columns of a node: from begin() up to, not including, end().
  std::int32_t begin(NodeId n) const { return first_[static_cast<std::size_t>(n)]; }
  std::int32_t end(NodeId n) const { return first_[static_cast<std::size_t>(n) + 1]; }
  /// Returns the nodes of columns that are in ascending order.
  NodeRanges nodes_of(const std::vector<std::int32_t>& columns) const {
    NodeRanges nodes;
    NodeId last = -1;
    for (const std::int32_t c : columns) {
      const NodeId node = node_of(c);
      if (node != last) nodes.append(node, node);
      last = node;
    }
    return nodes;
  }

 private:
  void add(std::int32_t processors) {
    node_of_.insert(node_of_.end(), static_cast<std::size_t>(processors), nodes());
    first_.push_back(count());
  }

  std::vector<std::int32_t> first_ = {0};  ///< by node, and the number of columns
  std::vector<NodeId> node_of_;            ///< by column
};

}  // namespace coslice

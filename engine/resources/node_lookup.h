// Nodes of a machine by the words of scenarios and scripts: a kind, a node, or a list or range of nodes.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "cluster/node_set.h"
#include "core/value.h"
#include "resources/layout.h"

namespace coslice {

class NodeLookup {
 public:
  /// The layout outlives it. Of equal names the first node counts.
  explicit NodeLookup(const MachineLayout& layout);

  /// Puts the nodes that `text` stands for into the set; returns the first name in it that is no kind and no node of the
  /// machine, if there is one. Throws InputError at `place` if it is no list of names.
  std::optional<std::string> insert(NodeSet& set, const std::string& text, const Place& place) const;

 private:
  const MachineLayout& layout_;
  std::unordered_map<std::string, NodeId> by_name_;
};

}  // namespace coslice

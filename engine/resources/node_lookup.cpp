#include "resources/node_lookup.h"

#include "resources/node_names.h"

namespace coslice {

NodeLookup::NodeLookup(const MachineLayout& layout) : layout_(layout) {
  for (NodeId n = 0; n < layout.node_count(); ++n) by_name_.emplace(layout.node_name(n), n);
}

std::optional<std::string> NodeLookup::insert(NodeSet& set, const std::string& text, const Place& place) const {
  for (const NodeKind& kind : layout_.kinds) {
    if (kind.name != text) continue;
    for (NodeId n = kind.first; n < kind.first + kind.count; ++n) set.insert(n);
    return {};
  }
  for (const std::string& name : expand_node_names(text, place)) {
    const auto at = by_name_.find(name);
    if (at == by_name_.end()) return name;
    set.insert(at->second);
  }
  return {};
}

}  // namespace coslice

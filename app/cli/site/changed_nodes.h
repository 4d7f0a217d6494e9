// What follows from a change of a site's nodes: who names nodes that are gone, and where new ones are.
#pragma once

#include <string>
#include <vector>

#include "core/value.h"

namespace coslice::cli {

/// A kind of nodes as a tree has it: with the names of its nodes.
struct NamedKind {
  std::string name;
  std::vector<std::string> nodes;
  friend bool operator==(const NamedKind&, const NamedKind&) = default;
};

/// The kinds of `machine.nodes`; of equal nodes, one without a name. None where the tree does not say them.
std::vector<NamedKind> kinds_in(const Value& tree);

/// Whether `key` is the count of a kind whose nodes have names ("machine.nodes.gpu.count"); then so many of them are
/// there, new ones called after the kind. Throws InputError, with `label`.
bool change_node_count(Value& tree, const std::string& key, const std::string& text, const std::string& label);

/// After `machine.nodes` has changed: takes nodes that are gone out of all that names them (partitions, switches,
/// reservations, outages, power), and puts new ones into the partitions that have their kind, and at the switch that
/// has all of it. Switches that are given by counts keep the nodes that they had. Returns in sentences what has changed
/// by that. Throws InputError, with `label`: a partition is without nodes then.
std::vector<std::string> follow_changed_nodes(Value& tree, const std::vector<NamedKind>& before,
                                              const std::string& label);

}  // namespace coslice::cli

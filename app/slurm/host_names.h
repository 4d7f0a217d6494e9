// Lists of hosts as Slurm reads them, and lines NodeSet=..., whose names may stand in such lists.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "slurm/conf_lines.h"
#include "slurm/import_page.h"

namespace coslice::slurm {

struct NodeGroup;

/// Returns the names that the list stands for, in its order: commas or blanks are between them, empty parts pass, and a
/// name that is there twice counts once. Throws InputError at `place` for brackets that cannot be read.
std::vector<std::string> host_names(std::string_view text, const Place& place);

/// A switch, a block, a ring or a torus, by which lists of hosts may name its nodes.
struct TopologyUnit {
  std::string name;
  std::vector<std::string> nodes;  ///< of what is below it as well
  bool closest = true;             ///< none is below it
};

/// Sets of nodes, which partitions and SuspendExcNodes may name. As in Slurm, the first of two sets of one name counts,
/// a set may name those below it, and one of a feature that no node has is empty.
class NodeSets {
 public:
  NodeSets() = default;
  /// `units`: the topology, null where no file of it is known. Throws InputError with file and line for a set that is
  /// called as a node.
  NodeSets(const std::vector<ConfLine>& conf, const std::vector<NodeGroup>& groups,
           const std::vector<std::string>& absent, const std::vector<TopologyUnit>* units, ImportPage& page);

  /// Returns what the list stands for, each node once; "ALL" alone is all nodes, "feature{fast}" those with that
  /// feature, "switch{s1}" (block, ring, torus) those of that one, "switchwith{n1}" those of the one with that node.
  /// Throws InputError with file and line for other words before braces, and where no topology is known.
  std::vector<std::string> nodes_of(const Setting& list, ImportPage& page) const;

 private:
  std::vector<std::string> nodes_with(const std::string& feature) const;
  std::vector<std::string> nodes_of_function(const std::string& text, const Setting& list, ImportPage& page) const;
  std::vector<std::string> nodes_of_unit(const std::string& name, const Setting& list, ImportPage& page) const;
  std::vector<std::string> nodes_beside(const std::string& node, const Setting& list, ImportPage& page) const;

  struct Set {
    std::string name;
    std::vector<std::string> of_feature, hosts;
  };
  std::vector<Set> sets_;
  std::map<std::string, std::vector<std::string>> of_feature_;  ///< all nodes with it
  std::vector<std::string> all_;
  std::optional<std::vector<TopologyUnit>> units_;
};

}  // namespace coslice::slurm

// Lists of hosts as Slurm reads them, and lines NodeSet=..., whose names may stand in such lists.
#pragma once

#include <map>
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

/// Sets of nodes, which partitions and SuspendExcNodes may name. As in Slurm, the first of two sets of one name counts,
/// a set may name those below it, and one of a feature that no node has is empty.
class NodeSets {
 public:
  NodeSets() = default;
  /// Throws InputError with file and line for a set that is called as a node.
  NodeSets(const std::vector<ConfLine>& conf, const std::vector<NodeGroup>& groups,
           const std::vector<std::string>& absent, ImportPage& page);

  /// Returns what the list stands for, each node once; "ALL" alone is all nodes, "feature{fast}" those with that
  /// feature. Throws InputError with file and line for nodes by switch or block, and other words before braces.
  std::vector<std::string> nodes_of(const Setting& list) const;

 private:
  std::vector<std::string> nodes_with(const std::string& feature) const;
  std::vector<std::string> nodes_of_function(const std::string& name, const Place& place) const;

  struct Set {
    std::string name;
    std::vector<std::string> of_feature, hosts;
  };
  std::vector<Set> sets_;
  std::map<std::string, std::vector<std::string>> of_feature_;  ///< all nodes with it
  std::vector<std::string> all_;
};

}  // namespace coslice::slurm

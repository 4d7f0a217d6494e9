// The field `placement` of a policy.
#pragma once

#include <string>
#include <vector>

#include "api/policy/hook.h"
#include "machine/ranked_placement.h"

namespace coslice {

class FieldReader;

/// Which nodes a job gets, of those on which it fits.
struct PlacementSetting {
  BuiltInRank rank = BuiltInRank::kFirst;  ///< by what they are ranked, where it is not a function
  Hook function;                           ///< empty: by `rank`
  bool cached = true;  ///< the function's answers depend on nothing but what it reads from its arguments
  NodeTies ties = NodeTies::kOrder;
  GpuChoice gpus = GpuChoice::kFitting;
  std::vector<std::string> groups;  ///< lists of nodes; empty: there are none
  bool runs = false;                ///< groups are runs of nodes
  /// Sizes of blocks (BlockRules::sizes), which the groups are; empty: they are none.
  std::vector<std::int32_t> blocks;
  bool switches = false;  ///< where the machine has switches, they are the groups instead
  std::string file;       ///< of the policy
  std::string text;       ///< what descriptions say of it: "best-fit", "by a function"
};

/// Returns the number of the group of each node; a node in no group has one of its own; empty where the setting has no
/// groups. Throws InputError if a group names what is no node or kind of the machine, or a node stands in two.
std::vector<std::int32_t> groups_of_nodes(const PlacementSetting& setting, const MachineLayout& layout);

/// Reads the policy's field. Throws InputError.
PlacementSetting read_placement(const FieldReader& policy, const std::string& policy_name);

}  // namespace coslice

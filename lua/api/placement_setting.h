// The field `placement` of a policy.
#pragma once

#include <string>

#include "api/hook.h"
#include "resources/built_in_ranks.h"
#include "resources/ranked_placement.h"

namespace coslice {

class FieldReader;

/// Which nodes a job gets, of those on which it fits.
struct PlacementSetting {
  BuiltInRank rank = BuiltInRank::kFirst;  ///< by what they are ranked, where it is not a function
  Hook function;       ///< empty: by `rank`
  bool cached = true;  ///< the function's answers depend on nothing but what it reads from its arguments
  NodeTies ties = NodeTies::kOrder;
  GpuChoice gpus = GpuChoice::kFitting;
  std::string text;  ///< what descriptions say of it: "best-fit", "by a function"
};

/// Reads the policy's field. Throws InputError.
PlacementSetting read_placement(const FieldReader& policy, const std::string& policy_name);

}  // namespace coslice

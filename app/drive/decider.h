// From flags to what decides.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "drive/present.h"

namespace coslice::drive {

/// Loads what decides: `policy` by name or path; without it, that of the site. `site` is a folder that `coslice import
/// slurm` wrote: its kinds of nodes, its numbers of users, accounts and partitions, and the parameters of its policy
/// hold. `overrides` are settings of the policy's parameters, "policy.params.depth=3". Throws InputError.
Decider make_decider(const std::optional<std::string>& policy, const std::optional<std::string>& site,
                     const std::vector<std::string>& overrides);

}  // namespace coslice::drive

// What decides in place of Slurm: a policy with its parameters, and what it is to know of the site.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/policy/find_policy.h"
#include "api/policy/policy.h"
#include "formats/recorded.h"
#include "slurm/site.h"

namespace coslice::drive {

struct Decider {
  std::string name;  ///< as it is called in reasons
  FoundPolicy policy;
  Value params = Value::table();
  bool strict_params = true;  ///< whether each of them must be one of the policy's
  bool walks_in_lua = false;  ///< hooks of the policy may go through the whole queue in a pass
  PolicyContext context;      ///< without roots: those of the policy
  MetricsOptions metrics;     ///< classes of jobs, the bound of slowdowns
  LayoutSpec layout;          ///< the site's kinds and partitions; without kinds: as Slurm has them
  slurm::NumbersOfNames users, accounts, partitions;
  std::shared_ptr<const RecordedWorkload> record;  ///< what the site has recorded; null: nothing
};

/// Loads what decides: `policy` by name or path; without it, that of the site. `site` is a folder that `coslice import
/// slurm` wrote: its kinds of nodes, its numbers of users, accounts and partitions, and the parameters of its policy
/// hold. `overrides` are settings of the policy's parameters, "policy.params.depth=3". Throws InputError.
Decider make_decider(const std::optional<std::string>& policy, const std::optional<std::string>& site,
                     const std::vector<std::string>& overrides);

/// Loads several, among which one is chosen: a parameter is for those that have it. Throws InputError: as for each, or
/// there are fewer than two, one is there twice, or none has a parameter of that name.
std::vector<Decider> make_deciders(const std::vector<std::string>& policies, const std::optional<std::string>& site,
                                   const std::vector<std::string>& overrides);

/// Throws InputError if the policy cannot decide on real jobs: it has time slices, groups on shared nodes or
/// coscheduled processes, or is wrong.
void check_policy(const Decider& decider);

/// Loads the policy afresh: nothing is left in it of an earlier decision. Throws InputError.
std::unique_ptr<Policy> load_policy(const Decider& decider);

}  // namespace coslice::drive

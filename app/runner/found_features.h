// Which features a run has, of those in the table of refusals (core/refusals.h), and the refusal at the line that asks
// for one.
#pragma once

#include <bitset>
#include <optional>
#include <string>

#include "api/policy/policy.h"
#include "core/refusals.h"
#include "jobs/workload.h"
#include "scenario/scenario.h"

namespace coslice {

/// Features by their numbers.
using FeatureSet = std::bitset<static_cast<std::size_t>(Feature::kAdjustedSizes) + 1>;

/// Finds the features of a policy, and those that the keys of the scenario ask for; `scheduler` is what schedules its
/// slices, null: the policy itself.
FeatureSet features_of(const Scenario& scenario, const Policy& policy, const Policy* scheduler);

/// Finds the features of the machine and the jobs of a scenario once they are loaded, beside those of a policy. Whether
/// jobs tell nodes apart or have parts of cores is looked at only where that is refused beside one of these.
FeatureSet features_of(const Scenario& scenario, const Workload& workload, const FeatureSet& beside);

/// Returns the first of the features beside which `feature` is refused; nothing if it may stand beside all.
std::optional<Feature> refused_beside(const FeatureSet& features, Feature feature);

/// Throws InputError if two of the features are refused beside one another: at the line of the scenario that asks for
/// one of them, else in the file of the policy. `policy` is its name.
void refuse_together(const Scenario& scenario, const Workload& workload, const std::string& policy,
                     const std::string& policy_file, const FeatureSet& features);

}  // namespace coslice

// Choosing and changing the jobs of a workload, as [workload] of a scenario says.
#pragma once

#include <vector>

#include "core/codec.h"
#include "jobs/workload.h"
#include "scenario/scenario.h"

namespace coslice {

/// Selections, window, job script, missing limits, first, factors and estimates, in this order. `seed` and `limits` are
/// those of the scenario. Throws InputError.
void change_workload(Workload& workload, const WorkloadSpec& spec, std::uint64_t seed, const Limits& limits);

/// Returns which jobs were left out, as the end of a message: ": 12 no size, 30 not among the chosen (users)"; "" if
/// nothing was.
std::string left_out(const Workload& workload);

// The keys of a scenario that choose and change the jobs of a workload.

/// Puts them among the keys of [workload], where their turn is.
std::vector<Key<Scenario>> with_workload_changes(std::vector<Key<Scenario>> keys);

/// What stands in for missing limits, from a scenario or a flag. Throws InputError at the value's place.
MissingLimits read_missing_limits(const Value& v, const std::string& path);

}  // namespace coslice

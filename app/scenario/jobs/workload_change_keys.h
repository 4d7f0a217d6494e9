// The keys of a scenario that choose and change the jobs of a workload.
#pragma once

#include <vector>

#include "core/codec.h"
#include "scenario/scenario.h"

namespace coslice {

/// Puts them among the keys of [workload], where their turn is.
std::vector<Key<Scenario>> with_workload_changes(std::vector<Key<Scenario>> keys);

/// What stands in for missing limits, from a scenario or a flag. Throws InputError at the value's place.
MissingLimits read_missing_limits(const Value& v, const std::string& path);

}  // namespace coslice

// Before which instant a job cannot start whatever else runs, because nodes are reserved or under maintenance then: a
// forecast says so without simulating until then.
#pragma once

#include <cstdint>
#include <vector>

#include "core/time.h"

namespace coslice {

class Runner;

/// Returns, for each of the jobs with these numbers, the first instant from `now` on at which the machine without any
/// other job could hold it up to its limit, beside what is reserved and planned maintenance; kNever where it never
/// could.
std::vector<Time> earliest_starts(const Runner& runner, const std::vector<std::int64_t>& jobs, Time now);

}  // namespace coslice

// What jobs use, from the workload's own source, a CSV file beside a trace, or drawn.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workload/resource_slowdowns.h"
#include "workload/workload.h"

namespace coslice {

/// A CSV file whose first line names its columns, in any order: `id` (the trace's number of the job), `cpu`, `network`,
/// `disk` (fractions of its run time, which add up to 1), `memory` (of a node's, from 0 to 1) and, if it is not the
/// largest of the fractions, `kind` ("cpu", "network" or "disk"). Throws InputError.
std::map<std::int64_t, ResourceProfile> read_resource_profiles(const std::string& path);

/// The kind of a job by the largest of its fractions; of equal ones the first.
Resource largest_fraction(const std::array<double, kResources>& fractions);

/// For each job of the workload: what the file says ("" for none), else what its source says, else what is drawn. Counts
/// in `unknown` the jobs that a file does not name.
std::vector<ResourceProfile> resource_profiles(const std::string& path, const ResourceMix& mix, std::uint64_t seed,
                                               const Workload& workload, std::int64_t& unknown);

}  // namespace coslice

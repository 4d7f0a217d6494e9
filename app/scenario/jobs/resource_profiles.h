// What jobs use, from the workload's own source, a CSV file beside a trace, or drawn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jobs/slowdown.h"
#include "jobs/workload.h"
#include "scenario/scenario.h"

namespace coslice {

/// Returns a CSV file whose first line names its columns, in any order: `id` (the trace's number of the job), `cpu`,
/// `network`, `disk` (fractions of its run time, which add up to 1), `memory` (of a node's, from 0 to 1) and, if it is
/// not the largest of the fractions, `kind` ("cpu", "network" or "disk"). Throws InputError.
ResourceProfiles read_resource_profiles(const std::string& path);

/// Returns what the jobs of a list say of themselves.
ResourceProfiles literal_profiles(const std::vector<JobSpec>& jobs);

/// Returns for each job of the workload what the file says ("" for none), else what its source says (`own`), else what
/// is drawn. Counts in `unknown` the jobs that a file does not name.
std::vector<ResourceProfile> resource_profiles(const std::string& path, const ResourceMix& mix, std::uint64_t seed,
                                               const Workload& workload, const ResourceProfiles& own,
                                               std::int64_t& unknown);

}  // namespace coslice

// Jobs of several components as one job for each component, for policies that know requests of one kind only.
#pragma once

#include <cstdint>

#include "formats/recorded.h"

namespace coslice {

/// Puts one job for each component in the place of each job of several components, before its requests are resolved
/// (resolve_recorded_requests). The first component keeps the job's number, the others get numbers above the largest;
/// their ids are "123+0", "123+1", as Slurm writes them. Run time, limit and wait are those of the whole. What waits
/// for the job waits for its first component. Returns how many jobs were taken apart.
std::int64_t take_components_apart(RecordedWorkload& recorded);

}  // namespace coslice

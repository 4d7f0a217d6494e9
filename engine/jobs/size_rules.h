// What jobs may say of their sizes, and of how these change while they run. All throw InputError without a place, whose
// problem follows the job's name.
#pragma once

#include <cstdint>

#include "jobs/job.h"
#include "machine/request.h"

namespace coslice {

/// Checks the job with what it asks for, null where that is whole nodes by its processes, `ppn` on each.
void check_sizes(const Job& job, std::int32_t ppn, const Request* asked);

/// Checks the job as a list or a trace says it. `nodes` are its own; 0: not known yet.
void check_said_sizes(const Job& job, std::int32_t nodes);

}  // namespace coslice

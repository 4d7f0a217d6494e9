// Which started jobs have cores in common: for policies that let jobs take turns on cores.
#pragma once

#include <vector>

#include "jobs/started_jobs.h"

namespace coslice {

/// Returns of each of the jobs, one after the other, whether it may run beside those before it of which that is true:
/// where it has none of their cores. The first `sure` of them may in any case. Jobs that have whole nodes, or of which
/// it is not known which cores they have, have all of them.
std::vector<bool> side_by_side(const std::vector<const StartedJob*>& jobs, std::size_t sure);

}  // namespace coslice

// Choosing and changing the jobs of a workload, as [workload] of a scenario says.
#pragma once

#include "jobs/workload.h"
#include "scenario/scenario.h"

namespace coslice {

/// Selections, window, job script, missing limits, first, factors and estimates, in this order. `seed` and `limits` are
/// those of the scenario. Throws InputError.
void change_workload(Workload& workload, const WorkloadSpec& spec, std::uint64_t seed, const Limits& limits);

/// ": 12 no size, 30 not among the chosen (users)": what was left out, to follow a complaint; "" if nothing was.
std::string left_out(const Workload& workload);

}  // namespace coslice

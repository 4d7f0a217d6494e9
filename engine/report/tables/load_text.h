// What is said of a run's load: how much the jobs asked for, of what, and whether that was too much.
#pragma once

#include <string>
#include <vector>

#include "metrics/offered_loads.h"
#include "metrics/summary.h"
#include "observe/result.h"

namespace coslice {

/// Returns "0.934 offered, of GPUs (cores 0.101)", the scarcest resource first; of equal nodes with one core each the
/// number alone, with more "0.850 offered, of 256 cores". "" where all jobs come at once. `per_node`: how many
/// processes a job may have on a node (0: as many as it has cores); where that is fewer, "0.930 offered, of 256 cores;
/// 1.860 of 128 nodes with a process on each".
std::string offered_text(const std::vector<OfferedLoad>& loads, const MachineSpec& machine, std::int32_t per_node = 0);

/// Returns what is to be known of means where the machine fell behind (Steadiness::saturated); "" where it did not.
/// `trim`: as MetricsOptions::trim.
std::string fell_behind_text(const RunResult& result, double trim);

}  // namespace coslice

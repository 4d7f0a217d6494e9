// What powering nodes down that no job has saves, and what it costs in waits.
#pragma once

#include <cstdint>

#include "observers/result.h"

namespace coslice {

struct PowerSummary {
  std::int64_t boots = 0;      ///< of nodes, for jobs
  std::int64_t delayed = 0;    ///< starts of jobs on nodes that were not all up
  double boot_wait = 0;        ///< seconds that a job had its nodes before all were up, mean over all jobs that ran
  double lost = 0;             ///< node-seconds that jobs had nodes that were not all up
  double off_share = 0;        ///< node-seconds powered down / those in which nodes were there
};

/// Precondition: result.power. `from` to `to` is the makespan, longer than 0.
PowerSummary summarize_power(const RunResult& result, Time from, Time to);

}  // namespace coslice

// What failures, drained nodes and maintenance cost.
#pragma once

#include <cstdint>

#include "observers/result.h"

namespace coslice {

/// What outages of nodes did.
struct OutageSummary {
  std::int64_t failures = 0;       ///< of one node or several at once
  std::int64_t interruptions = 0;  ///< runs of jobs that they ended
  std::int64_t lost_jobs = 0;      ///< that were not requeued
  double availability = 0;         ///< node-seconds in which nodes were there / (makespan x nodes)
  double lost = 0;                 ///< node-seconds of work that was lost
  double checkpointing = 0;        ///< node-seconds of writing checkpoints and going on from them
  double waste = 0;                ///< both, in parts of what jobs used
};

/// Node-seconds in [from, to) in which nodes were not there.
double down_node_seconds(const OutageRecord& record, Time from, Time to);
/// The same of cores.
double down_core_seconds(const OutageRecord& record, const MachineSpec& machine, Time from, Time to);

/// Precondition: result.outages. `from` to `to` is the makespan, longer than 0.
OutageSummary summarize_outages(const RunResult& result, Time from, Time to);

}  // namespace coslice

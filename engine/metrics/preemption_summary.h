// What it cost that policies stopped running jobs.
#pragma once

#include <cstdint>

#include "observers/result.h"

namespace coslice {

struct PreemptionSummary {
  std::int64_t suspended = 0;     ///< times that a job was suspended in place
  double suspended_time = 0;      ///< s, of all jobs together
  std::int64_t stopped = 0;    ///< runs of jobs that policies ended
  std::int64_t requeued = 0;   ///< of them, of jobs that waited again
  std::int64_t cancelled = 0;  ///< the others
  double lost = 0;             ///< node-seconds of work that was lost
  double checkpointing = 0;    ///< node-seconds of writing checkpoints and going on from them, whatever ended the runs
  double waste = 0;            ///< both, in parts of what jobs used
};

/// Node-seconds for which jobs had their nodes, in runs that were interrupted too.
double used_node_seconds(const RunResult& result);
/// Node-seconds of all jobs that were spent on checkpoints.
double checkpoint_node_seconds(const RunResult& result);

/// Precondition: some run was ended by its policy, or some job suspended.
PreemptionSummary summarize_preemptions(const RunResult& result);

}  // namespace coslice

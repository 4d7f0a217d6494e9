// The jobs of a real machine as those of a simulation whose clock ends now.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "drive/present.h"
#include "jobs/workload.h"

namespace coslice::drive {

struct PresentJobs {
  Workload workload;
  std::vector<const QueuedJob*> jobs;  ///< by JobIndex
  std::vector<NodeRanges> nodes;       ///< by JobIndex: what it has; empty: it waits
  std::int64_t origin = 0;             ///< the simulation's second 0, seconds since 1970
  Time now;
};

/// Returns the jobs as the simulation has them. Those that cannot be told to it are left out, and named in `decision`.
PresentJobs present_jobs(Decider& decider, const Situation& now, const MachineSpec& machine, Decision& decision);

/// Returns the nodes on which nothing can be started, whatever the simulation has on them: not available, or used by
/// jobs that are not listed.
NodeSet closed_nodes(const Situation& now, const MachineLayout& layout);

}  // namespace coslice::drive

// What powering nodes down did in a run.
#pragma once

#include <cstdint>
#include <vector>

#include "outages/power.h"
#include "workload/job.h"

namespace coslice {

/// A start of a job on nodes that were not all up.
struct JobBoot {
  JobIndex job = kNoJob;
  Time from{};
  Duration wait{0};        ///< until all of them were up, or it stopped
  std::int32_t nodes = 0;  ///< that it has
  std::int32_t off = 0;    ///< of them, those that were powered down
};

/// Of a run in which nodes are powered down.
struct PowerRecord {
  PowerOptions options;
  std::vector<NodeOff> off;    ///< in the order of their ends; those of a node in the order of their beginnings
  std::vector<JobBoot> boots;  ///< in the order of their beginnings
  std::vector<double> busy;    ///< by node: seconds in which it was up and a job had it
};

}  // namespace coslice

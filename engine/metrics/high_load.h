// Phases of high load: when enough jobs wait, and how full the machine is then. (Zeng 2009, Equations 1 to 3.)
#pragma once

#include <cstdint>

#include "observers/result.h"

namespace coslice {

/// How full the machine was over some time.
struct Fullness {
  double time = 0;              ///< s
  double utilization = 0;       ///< node-seconds used / (time x nodes); 0 without time
  double core_utilization = 0;  ///< core-seconds used / (time x cores)
};

/// A phase is a longest interval in which at least this many jobs wait that never ran; a preempted job does not wait.
/// Nodes are unused in the time that is lost at the end of a slice.
struct HighLoad {
  std::int64_t phases = 0;
  Fullness in;       ///< the phases, together
  Fullness outside;  ///< the rest of the makespan
};

/// Of the run's timeline between two instants; `waiting` is N_H.
HighLoad high_load(const RunResult& result, Time from, Time to, std::int64_t waiting);

}  // namespace coslice

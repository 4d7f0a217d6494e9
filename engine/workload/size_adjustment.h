// A workload made for one process on a node, fitted to nodes with several cores: jobs that tolerate company of their own
// get more processes on fewer nodes, with about as much work. (Zeng 2009, Equation 7.)
#pragma once

#include <cstdint>

#include "workload/slowdown.h"
#include "workload/workload.h"

namespace coslice {

/// Equal nodes, as far as sizes go.
struct CoreCounts {
  std::int32_t nodes = 1;
  std::int32_t processors = 1;  ///< per node
  std::int32_t cores = 1;       ///< per processor
  std::int32_t cores_per_node() const { return processors * cores; }
};

struct SizeAdjustment {
  /// How the new size is rounded. The thesis doubles or quadruples sizes and wants to keep the share of powers of two.
  enum class Rounding : std::uint8_t {
    kPowerOfTwo,       ///< powers of two are multiplied by the processes per node, others by the formula
    kFormula,          ///< size x processes per node / slowdown, to the nearest, for all
    kDrawnPowerOfTwo,  ///< powers of two become one next to the formula's number, drawn so that it is the mean
  };
  double max_slowdown = 1.25;         ///< MAX_SL: most that a job with a process on each core may be slowed down
  double max_over_processors = 1.12;  ///< SELF_SL_2: most with a process on each processor
  Rounding rounding = Rounding::kPowerOfTwo;
  std::uint64_t seed = 1;  ///< of what kDrawnPowerOfTwo draws
};

/// Processes that the job has on each of its nodes when it has them for itself: one on each core if it tolerates that,
/// else one on each processor, else 1; a serial job 1. (Zeng 2009, Equation 11.)
std::int32_t processes_per_node(const SlowdownModel& slowdowns, JobIndex j, std::int32_t size,
                                const CoreCounts& machine, const SizeAdjustment& limits);

/// Takes sizes as nodes with one process each and makes them processes; no job needs more nodes than there are. Serial
/// jobs stay serial. Leaves its account in workload.adjusted. Precondition: the jobs are those of the slowdown model,
/// and none is larger than the machine has nodes.
void adjust_sizes(Workload& workload, const SlowdownModel& slowdowns, const CoreCounts& machine,
                  const SizeAdjustment& options);

}  // namespace coslice

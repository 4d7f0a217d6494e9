// What jobs of a trace ask for on a machine whose nodes differ. A trace says processes, a partition's number and memory
// for each process; the rest follows from the machine.
#pragma once

#include <cstdint>
#include <vector>

#include "resources/fragmentation.h"
#include "resources/layout.h"
#include "workload/workload.h"

namespace coslice {

/// Whether jobs of a trace have their nodes for themselves; else they have of each only the cores and the memory that they ask for.
enum class Exclusive : std::uint8_t {
  kNo,
  kYes,     ///< but those of which the trace says what they had of their nodes
  kAlways,  ///< whatever the trace says of a job
};

/// What jobs of a trace have of their nodes.
struct TraceNodes {
  Exclusive exclusive = Exclusive::kYes;
  std::int32_t processes_per_node = 0;  ///< with a core each; 0: as many as the node has cores
};

/// What becomes of jobs that can never run.
enum class Impossible : std::uint8_t {
  kLeftOut,
  kKept,  ///< they come, and are rejected
};

/// What was found out on the way.
struct TraceRequestCounts {
  std::int64_t unknown_partition = 0;  ///< jobs whose partition the machine does not have: the default one is theirs
  std::int64_t too_large = 0;          ///< jobs that no partition of theirs can ever hold
  std::int64_t first_too_large = 0;    ///< the first of them
  std::string first_reason;            ///< why the first of them cannot be held
  std::int64_t partition_limits = 0;   ///< jobs without a limit that have their partition's default_time
};

/// Gives each job that has no request the one that follows from its size, partition and memory; jobs that can never run
/// are left out, unless they are to be kept. A partition is found by the name that the trace's header gives its number ("Partition: 3 batch"), else
/// by Partition::numbers. Processes go on as few nodes as hold them: those of the partition's kind with the fewest cores.
/// Where `default_limits`, a job without a limit gets its partition's default_time, but not less than its run time.
TraceRequestCounts request_by_trace(Workload& workload, const MachineLayout& layout, TraceNodes nodes,
                                    Impossible impossible = Impossible::kLeftOut, bool default_limits = true);

/// What jobs of a workload that have requests typically ask for.
std::vector<TypicalRequest> typical_of(const Workload& workload, const MachineLayout& layout);

/// The request of a job of so many processes with a core each, in that partition (-1: the default one); `kb` is memory for
/// each process, -1 if not known.
Request request_of_size(std::int32_t processes, std::int64_t kb, std::int32_t partition, const MachineLayout& layout,
                        TraceNodes nodes);

}  // namespace coslice

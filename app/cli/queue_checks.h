// Queues and histories that cannot be true together, found before anything is simulated.
#pragma once

#include <cstdint>
#include <string>

#include "lab/forecast/machine_state.h"
#include "resources/layout.h"
#include "slurm/queue.h"
#include "workload/recorded.h"

namespace coslice::cli {

/// Throws InputError with file and line: a job runs since later than `now` (nanoseconds since 1970).
void check_starts(const slurm::QueueSnapshot& queue, std::int64_t now);

/// Throws InputError with file and line: a job runs on a node that the machine does not have.
void check_nodes(const slurm::QueueSnapshot& queue, const MachineLayout& layout);

/// Throws InputError that names the file `trace`: no job has ended by then, so that nothing is known of run times; or a job that has
/// ended on record, and is not in the queue, started after that instant.
void check_history(const MachineState& state, const Workload& workload, const RecordedWorkload& history, const std::string& trace);

}  // namespace coslice::cli

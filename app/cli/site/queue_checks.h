// Queues and histories that cannot be true together, found before anything is simulated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/site/queue_jobs.h"
#include "formats/recorded.h"
#include "lab/forecast/forecast.h"
#include "lab/forecast/known_jobs.h"
#include "machine/layout.h"
#include "slurm/queue.h"

namespace coslice::cli {

/// Throws InputError with file and line: a job was submitted, or runs since, later than `now` (nanoseconds since 1970).
void check_instants(const slurm::QueueSnapshot& queue, std::int64_t now);

/// Throws InputError with file and line: a job runs on a node that the machine does not have.
void check_nodes(const slurm::QueueSnapshot& queue, const MachineLayout& layout);

/// Leaves out jobs of the queue that can never run on the machine (AddedQueue::never), and lets those that name a
/// partition which it does not have go to the default one. Returns warnings that say so, with file and line.
std::vector<std::string> fit_to_machine(const slurm::QueueSnapshot& queue, AddedQueue& added, const Scenario& scenario,
                                        RecordedWorkload& trace);

/// Warns of jobs that run beyond their limits, which the simulation ends at once; "" if there are none.
std::string over_their_limits(const slurm::QueueSnapshot& queue, const AddedQueue& added, const ForecastBase& base,
                              const MachineState& state);

/// Throws InputError that names the file `trace`: no job has ended by then, so that nothing is known of run times; or a
/// job that has ended by the record, and is not in the queue, started after that instant.
void check_history(const MachineState& state, const Workload& workload, const RecordedWorkload& history,
                   const std::string& trace);

}  // namespace coslice::cli

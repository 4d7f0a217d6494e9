// The jobs of a queue beside those of a site's history, under the same numbers of names.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/recorded.h"
#include "lab/forecast/forecast.h"
#include "lab/forecast/known_jobs.h"
#include "scenario/scenario.h"
#include "slurm/queue.h"

namespace coslice::cli {

/// What was added to a history.
struct AddedQueue {
  std::int64_t now = 0;                        ///< nanoseconds since 1970
  std::map<std::int64_t, KnownJob> jobs;       ///< by the job's number; starts are on the clock of the history
  std::map<std::int64_t, std::size_t> places;  ///< into QueueSnapshot::jobs, by the job's number
  std::vector<std::string> warnings;
  std::vector<NeverJob> never;  ///< left out: the machine can never run them
};

/// Adds the jobs of the queue to the site's trace. `now`, if it is given, goes before what the files say. Throws
/// InputError: no instant is known, a job says too little, has nodes that cannot be read, or appears twice.
AddedQueue add_queue(const slurm::QueueSnapshot& queue, const Scenario& scenario, std::optional<std::int64_t> now,
                     RecordedWorkload& trace);

/// Lets partitions take the jobs of the queue that run in them: an administrator may have given them more than others
/// get.
void admit_running_jobs(const slurm::QueueSnapshot& queue, Scenario& scenario);

/// Nodes that are away take no jobs from `now` (on the clock of the trace) on; nor do those of a reservation where the
/// scenario has none. Returns warnings.
std::vector<std::string> take_nodes_down(const slurm::QueueSnapshot& queue, Time now, Scenario& scenario);

/// Returns what is known of the jobs of `workload`, which are some of the trace's: of the queue what it says; others
/// have ended.
MachineState state_of_queue(const AddedQueue& added, const Workload& workload, const RecordedWorkload& trace);

/// Returns numbers that a site's policy.lua gives to names which no job of the history has: by kind and name in lower
/// case.
std::map<std::pair<std::string, std::string>, std::int32_t> numbers_in_policy(const std::string& text);

}  // namespace coslice::cli

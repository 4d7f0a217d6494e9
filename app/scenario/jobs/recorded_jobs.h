// Jobs of a log on the scenario's machine: what they asked for on record, and where they stand, for messages.
#pragma once

#include <string>
#include <vector>

#include "formats/recorded.h"
#include "scenario/scenario.h"

namespace coslice {

/// "17 (line 240)"; the line is left out where it is not known. `trace` "": there is none.
std::string job_in_trace(const std::string& trace, std::int64_t id);

/// "jobs.sacct: 2 jobs name a partition that the machine does not have; they go to the default one".
std::string unknown_partition_text(const std::string& source, std::int64_t jobs);

/// What the log says in names that its jobs asked for, as requests of the scenario's machine; `workload` is the log's.
void resolve_requests(const RecordedWorkload& recorded, const Scenario& scenario, Workload& workload,
                      std::vector<std::string>& warnings);

}  // namespace coslice

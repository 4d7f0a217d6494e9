// Jobs of a log on the scenario's machine: what they asked for on record, and where they stand, for messages.
#pragma once

#include <string>
#include <vector>

#include "formats/recorded.h"
#include "scenario/scenario.h"

namespace coslice {

/// Returns how a job of a trace is named in messages: "17 (line 240)"; the line is left out where it is not known.
/// `trace` "": there is none.
std::string job_in_trace(const std::string& trace, std::int64_t id);

/// Returns a warning such as "jobs.sacct: 2 jobs name a partition that the machine does not have; they go to the
/// default one".
std::string unknown_partition_text(const std::string& source, std::int64_t jobs);

/// Turns what jobs of the log asked for by name into requests of the scenario's machine; `workload` is the log's.
void resolve_requests(const RecordedWorkload& recorded, const Scenario& scenario, Workload& workload,
                      std::vector<std::string>& warnings);

}  // namespace coslice

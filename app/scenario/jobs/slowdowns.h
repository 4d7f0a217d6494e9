// The slowdowns that a scenario asks for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jobs/slowdown.h"
#include "jobs/workload.h"
#include "scenario/jobs/measured_table.h"
#include "scenario/scenario.h"

namespace coslice {

/// Returns the model for the jobs of the workload, which outlives it; null where the scenario has none. `profiles`:
/// what jobs use, where the workload's source says it. Counts in `unknown` the jobs that a table or file does not know.
/// Throws InputError.
std::unique_ptr<SlowdownModel> make_slowdowns(const Scenario& scenario, const Workload& workload,
                                              const ResourceProfiles& profiles, std::int64_t& unknown);

/// Fits sizes to the scenario's machine, by its settings and seed. REQUIRES: sizes = "adjusted" and a model for these
/// jobs.
void adjust_to_machine(const Scenario& scenario, const SlowdownModel& model, Workload& workload);

}  // namespace coslice

// From a scenario's jobs and programs to what the processes of each job do.
#pragma once

#include <string>
#include <vector>

#include "jobs/workload.h"
#include "process/process_simulation.h"
#include "scenario/scenario.h"

namespace coslice {

struct ProcessWorkload {
  std::vector<Program> programs;
  std::vector<ProcessJob> jobs;   ///< as in the workload
  std::vector<std::int64_t> ids;  ///< numbers in the trace
};

/// Gives each job a program: the one that it names, else what the script says, else one drawn by weight from the
/// scenario's seed and the job's number. A job makes as many iterations as take its run time alone.
/// Throws InputError where the scenario does not say what processes do.
ProcessWorkload process_workload(const Scenario& scenario, const Workload& workload);

}  // namespace coslice

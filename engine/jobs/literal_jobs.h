// Jobs that are written down one by one: in a scenario, in a test, or in a list of jobs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "jobs/job_spec.h"
#include "jobs/workload.h"
#include "machine/machine_spec.h"

namespace coslice {

/// Returns the job's number in results: its own, else its place in the list, from 1.
std::int64_t literal_job_id(const JobSpec& spec, std::size_t index);

/// A job that is wrong, alone or beside the others.
struct LiteralProblem {
  std::size_t index = 0;  ///< in the list
  std::string what, expected;
};
/// Returns a job that waits for what cannot be, or says an array that is none.
std::optional<LiteralProblem> literal_workflow_problem(const std::vector<JobSpec>& jobs);
/// Returns what is wrong with a list of jobs: one that is not whole, two of one number, one that waits for none of
/// them, and what literal_workflow_problem() finds.
std::optional<LiteralProblem> literal_problem(const std::vector<JobSpec>& jobs);

/// Returns the jobs as a workload named "jobs", in order of submission, ties in the order of the list. Sizes given in
/// nodes become processes, `processes_per_node` on each; what jobs ask for is of that machine; limits that are not said
/// are the run times; arrays are made into jobs. Throws InputError for a job of more processes than a number can count.
Workload literal_workload(const std::vector<JobSpec>& jobs, std::int32_t processes_per_node,
                          const MachineSpec& machine = {});

}  // namespace coslice

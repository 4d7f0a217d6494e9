// What jobs wait for, job by job: the texts of `depends` and SWF fields 17 and 18, resolved to the jobs of a workload.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workload/dependency.h"
#include "workload/job.h"

namespace coslice {

/// Another job from which a job needs something.
struct Need {
  JobIndex on = kNoJob;
  DependencyKind kind = DependencyKind::kAfterAny;
  std::uint32_t group = 0;  ///< of the needs of its job: it may come when all of one group are fulfilled
  Duration delay{0};        ///< from the event to when the job may come
};

struct JobNeeds {
  std::vector<Need> needs;
  std::uint32_t groups = 0;
};

/// A job that asks for what cannot be.
struct WorkflowProblem {
  JobIndex job = kNoJob;
  std::string what, expected;  ///< "depends on job 9, which is not there"
};

struct Workflow {
  std::vector<JobNeeds> by_job;            ///< empty where no job waits for another
  std::optional<WorkflowProblem> problem;  ///< a text that says nothing, or jobs that wait for one another
  std::optional<WorkflowProblem> unknown;  ///< a text that names a job which is not among these; it counts for nothing
};

/// Whether it is an element of an array of which only so many may be there at the same time.
bool in_limited_array(const Job& job);
/// Whether the job says something that may keep it from coming when it is submitted: depends, the limit of an array, begin,
/// held_until.
bool asks_in_time(const Job& job);
/// Whether it has a choice of sizes (workload/job_sizes.h).
bool is_moldable(const Job& job);

/// `jobs` in order of submission, arrays made into jobs. With `recorded`, fields 17 and 18 count: a job that is not there, or
/// not before the job that names it, is ignored.
Workflow workflow_of(const std::vector<Job>& jobs, bool recorded);

}  // namespace coslice

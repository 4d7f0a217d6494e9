// What jobs wait for: dependencies in Slurm's notation (sbatch --dependency, "afterok:3:4,afterany:7_2") and SWF fields
// 17 and 18; and arrays, of which a limited number may be started at the same time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "jobs/job.h"
#include "jobs/workload.h"

namespace coslice {

/// What is waited for of a job.
enum class DependencyKind : std::uint8_t {
  kAfter,       ///< the other job has started, or never will
  kAfterOk,     ///< the other job has completed
  kAfterNotOk,  ///< the other job has failed
  kAfterAny,    ///< the other job has ended
  kSingleton,   ///< all jobs of the same executable and user that stand before this one have ended
};

/// Returns whether a job that ended counts as failed: it was killed, lost or rejected (`stopped`), or failed or was
/// recorded as cancelled (SWF field 11: 0 or 5).
inline bool has_failed(const Job& job, bool stopped) { return stopped || job.status == 0 || job.status == 5; }

/// A job as texts name it: "12", or "12_3" for an element of an array.
struct JobName {
  std::int64_t id = -1;
  std::int64_t element = -1;  ///< -1: the whole job or array
};

/// One job, or all that are alike, to wait for.
struct DependencyTerm {
  DependencyKind kind = DependencyKind::kAfterAny;
  JobName on{};       ///< of a singleton none
  Duration delay{0};  ///< kAfter: time from that start
};

/// What a job waits for: all of the terms, or any one.
struct Dependency {
  std::vector<DependencyTerm> terms;
  bool any = false;
};

/// Reads the text of a dependency. The jobs behind one kind are separated by ':', kinds by ',' (all must hold) or '?'
/// (one is enough). after:12+5 is five minutes after the start of job 12. Throws InputError without a place.
Dependency read_dependency(std::string_view text);
/// Returns the name of the kind: "afterok", ...
std::string_view name_of(DependencyKind kind);
/// Returns "12" or "12_3".
std::string name_of(const JobName& job);

// --- arrays: many jobs that are alike
//
// A job says its array in one of two ways (the attribute `array`): "1-10%3", in Slurm's notation (sbatch --array), is
// an array that is still to be made into jobs; "1234_7%3" is its element 7 of the array 1234.

/// An element of an array.
struct ArrayElement {
  std::int64_t array = -1;
  std::int64_t index = -1;
  std::int64_t limit = 0;  ///< how many of the array may wait or run at the same time; 0: any number
};

/// Returns the indices of "1-10%3" or "0,3,8-20:4", in growing order. Throws InputError without a place for a text that
/// is none.
std::vector<std::int64_t> array_indices(const std::string& text);

/// Returns what the job is of an array; nothing if it is no element. Throws InputError without a place if its text is
/// none.
std::optional<ArrayElement> array_element(const Job& job);
/// Returns how many jobs the job stands for: 1 unless its array is still to be made. Throws as array_element.
std::int64_t array_size(const Job& job);

/// Puts the elements of each array in the place of the job that says it. The first one keeps its number, which is the
/// array's; the others get numbers above all there are. Throws InputError for a text that is none, and if there would
/// be more than ten million jobs.
void expand_arrays(Workload& workload);

// --- what jobs wait for, job by job

/// Another job from which a job needs something.
struct Need {
  JobIndex on = kNoJob;
  DependencyKind kind = DependencyKind::kAfterAny;
  std::uint32_t group = 0;  ///< of the needs of its job: it may come when all of one group are fulfilled
  Duration delay{0};        ///< from the event to when the job may come
};

/// What one job waits for.
struct JobNeeds {
  std::vector<Need> needs;
  std::uint32_t groups = 0;
};

/// A job that asks for what cannot be.
struct WorkflowProblem {
  JobIndex job = kNoJob;
  std::string what, expected;  ///< "depends on job 9, which is not there"
};

/// What all jobs wait for, resolved to the jobs of a workload.
struct Workflow {
  std::vector<JobNeeds> by_job;            ///< empty where no job waits for another
  std::optional<WorkflowProblem> problem;  ///< a text that says nothing, or jobs that wait for one another
  std::optional<WorkflowProblem> unknown;  ///< a text that names a job which is not among these; it counts for nothing
};

/// Returns whether the job is an element of an array with a limit on how many elements may wait or run at one time.
bool in_limited_array(const Job& job);
/// Returns whether the job says something that may keep it from coming when it is submitted: depends, the limit of an
/// array, begin, held_until.
bool asks_in_time(const Job& job);
/// Returns whether the job has a choice of sizes (jobs/job_sizes.h).
bool is_moldable(const Job& job);
/// Whether some job of the workload is moldable.
bool any_moldable(const Workload& workload);

/// Makes the workflow of `jobs` in order of submission, arrays made into jobs. With `recorded`, fields 17 and 18 count:
/// a job that is not in the workload, or not before the job that names it, is ignored.
Workflow workflow_of(const std::vector<Job>& jobs, bool recorded);

}  // namespace coslice

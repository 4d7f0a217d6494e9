// What a workload is like: the figures behind a description of a trace. Plain numbers, nothing is printed here.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "jobs/workload.h"

namespace coslice {

/// Of one quantity over all jobs; quantiles interpolate linearly between neighbours. Zeros without jobs.
struct Distribution {
  double mean = 0, smallest = 0, q05 = 0, q25 = 0, median = 0, q75 = 0, q95 = 0, largest = 0;
};

/// Jobs of sizes in [from, to]: 1, 2, 3 to 4, 5 to 8, ... Shares of all jobs and of all work are in [0, 1].
struct SizeBin {
  std::int32_t from = 1, to = 1;
  std::int64_t jobs = 0;
  double share_of_work = 0;
};

/// Jobs by run time.
struct RuntimeClass {
  std::int64_t jobs = 0;
  double share_of_jobs = 0, share_of_work = 0;
};

struct WorkloadDescription {
  std::string name;
  std::int64_t jobs = 0, records = 0;  ///< jobs are what is left of the records
  std::int64_t never_ran = 0;          ///< jobs cancelled while they waited: their run times are not known
  std::int64_t nodes = 0;              ///< the machine's processors, of which a process takes one
  Time first_submit{}, last_submit{};
  std::string dates;        ///< of the two, "1996-09-23 14:00:31 to ..., UTC+02:00"; "" if not known
  Duration span{};          ///< from the first to the last submission
  double work = 0;          ///< sum of run time x size, in processor-seconds
  double offered_load = 0;  ///< work / (nodes x span); 0 where there is no span
  /// Processes; seconds, of jobs that ran; seconds; seconds between submissions.
  Distribution size, runtime, limit, gap;
  double serial_share = 0;  ///< of the jobs: size 1
  double pow2_share = 0;    ///< of the parallel jobs: size a power of two
  std::vector<SizeBin> sizes;
  std::array<RuntimeClass, 3> classes{};  ///< up to 10 minutes, up to 3 hours, longer
  std::array<std::int64_t, 24> arrivals_by_hour{};
  HourSource hours = HourSource::kTrace;

  // Estimates: accuracy is run time / limit. Shares are of the jobs that ran.
  std::int64_t without_limit = 0;  ///< jobs whose limit is missing in the trace; what stands in for it counts below
  double exact_share = 0;          ///< of the jobs: limit equal to the run time
  double killed_share = 0;         ///< of the jobs: run time above the limit
  double mean_accuracy = 0;        ///< of all jobs; 1 where the run time is above the limit
  /// Jobs with accuracy in (0, 0.1], ..., (0.9, 1]; the killed are in none.
  std::array<std::int64_t, 10> accuracy_tenths{};

  std::int64_t users = 0, groups = 0, executables = 0, queues = 0, partitions = 0;    ///< distinct ones
  double busiest_user_share = 0;                                                      ///< of the jobs that name a user
  std::int64_t with_used_memory = 0, with_requested_memory = 0, with_dependency = 0;  ///< jobs
  std::vector<std::pair<std::int32_t, std::int64_t>> jobs_by_status;                  ///< SWF field 11 and its jobs
  std::vector<TraceNote> notes;                                                       ///< what was dropped or altered
};

/// Describes a workload for a machine of `nodes` processors.
WorkloadDescription describe(const Workload& workload, std::int64_t nodes);

}  // namespace coslice

// What a workload is like: the figures behind a description of a trace. Plain numbers, nothing is printed here.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "jobs/workload.h"

namespace coslice {

/// Summarizes one quantity over all jobs, in its own unit; quantiles interpolate linearly between neighbours. All 0
/// without jobs.
struct Distribution {
  double mean = 0, smallest = 0, q05 = 0, q25 = 0, median = 0, q75 = 0, q95 = 0, largest = 0;
};

/// Jobs of from..to processes: 1, 2, 3 to 4, 5 to 8, ... `share_of_work`: part of all processor-seconds, from 0 to 1.
struct SizeBin {
  std::int32_t from = 1, to = 1;
  std::int64_t jobs = 0;
  double share_of_work = 0;
};

/// Jobs whose run times lie in one class; shares are parts of 1 of all jobs and of all work.
struct RuntimeClass {
  std::int64_t jobs = 0;
  double share_of_jobs = 0, share_of_work = 0;
};

struct WorkloadDescription {
  std::string name;
  std::int64_t jobs = 0, records = 0;  ///< `records` of the trace, and the `jobs` made from them
  std::int64_t never_ran = 0;          ///< jobs cancelled while they waited: their run times are not known
  std::int64_t nodes = 0;              ///< processors of the machine; each process takes one
  Time first_submit{}, last_submit{};
  std::string dates;  ///< dates of first_submit and last_submit, "1996-09-23 14:00:31 to ..., UTC+02:00"; "": not known
  Duration span{};    ///< from the first to the last submission
  double work = 0;    ///< sum of run time x size, in processor-seconds
  double offered_load = 0;  ///< work / (nodes x span); 0 where there is no span
  /// `size`: processes; `runtime`: s, of jobs that ran; `limit`: s; `gap`: s between submissions.
  Distribution size, runtime, limit, gap;
  double serial_share = 0;  ///< part of the jobs that have size 1
  double pow2_share = 0;    ///< part of the parallel jobs whose size is a power of two
  std::vector<SizeBin> sizes;
  std::array<RuntimeClass, 3> classes{};  ///< up to 10 minutes, up to 3 hours, longer
  std::array<std::int64_t, 24> arrivals_by_hour{};
  HourSource hours = HourSource::kTrace;

  // Estimates: accuracy is run time / limit. Shares are of the jobs that ran.
  std::int64_t without_limit =
      0;  ///< jobs without a limit in the trace; the figures below use its replacement (workload.missing_limit)
  double exact_share = 0;    ///< part of the jobs whose limit equals the run time
  double killed_share = 0;   ///< part of the jobs whose run time exceeds the limit
  double mean_accuracy = 0;  ///< of all jobs; 1 where the run time is above the limit
  /// Jobs with accuracy in (0, 0.1], ..., (0.9, 1]; the killed are in none.
  std::array<std::int64_t, 10> accuracy_tenths{};

  std::int64_t users = 0, groups = 0, executables = 0, queues = 0, partitions = 0;  ///< distinct ones
  double busiest_user_share = 0;  ///< jobs of the user with the most jobs, as a part of those that name a user
  std::int64_t with_used_memory = 0, with_requested_memory = 0, with_dependency = 0;  ///< jobs
  std::vector<std::pair<std::int32_t, std::int64_t>> jobs_by_status;                  ///< SWF field 11 and its jobs
  std::vector<TraceNote> notes;                                                       ///< what was dropped or altered
};

/// Describes a workload for a machine of `nodes` processors.
WorkloadDescription describe(const Workload& workload, std::int64_t nodes);

}  // namespace coslice

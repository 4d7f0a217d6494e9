// The figures of a run: how long jobs waited, how much they were slowed, how full the machine was.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metrics/result.h"

namespace coslice {

/// A class of jobs by run time: it holds jobs with runtime <= upper that no earlier class holds.
struct JobClass {
  std::string name;
  Duration upper = Duration::max();
};

struct MetricsOptions {
  /// Short up to 10 min, medium up to 3 h, long beyond.
  std::vector<JobClass> classes = {{"short", whole_seconds(600)}, {"medium", whole_seconds(10800)}, {"long"}};
  Duration bound = whole_seconds(10);  ///< b in bounded slowdown = max(1, R / max(T, b))
  double trim = 0.02;                  ///< share of jobs cut at each end for the trimmed figures
};

/// Of one quantity over a set of jobs; zeros where the set is empty.
struct Stats {
  double mean = 0, median = 0, p95 = 0, max = 0;
};

/// The figures of a set of jobs. Times in seconds.
struct GroupSummary {
  std::string name;
  std::int64_t jobs = 0;  ///< that ran to an end
  Stats wait, response, bounded_slowdown;
};

struct Summary {
  std::int64_t jobs = 0, finished = 0, killed = 0, rejected = 0;
  double makespan = 0;      ///< last end - first submission, s
  double utilization = 0;   ///< node-seconds used / (makespan x nodes)
  double core_utilization = 0;
  double mean_queue = 0;    ///< waiting jobs, mean over the makespan
  std::int64_t max_queue = 0;
  GroupSummary all;                     ///< name "all"
  std::vector<GroupSummary> by_class;   ///< in the order of the options
  std::vector<GroupSummary> by_user, by_queue;  ///< where the trace has them; sorted by number
  GroupSummary trimmed;                 ///< without the first and last `trim` of the jobs
  std::vector<GroupSummary> trimmed_by_class;
};

/// Computes every figure. O(n log n) in the number of jobs.
Summary summarize(const RunResult& result, const MetricsOptions& options);

}  // namespace coslice

// The middle of a run, without its warm-up and its end, and whether it could have gone on like that for ever.
#pragma once

#include "observers/result.h"

namespace coslice {

/// The machine in the window of the trimmed jobs, and how the work grew that was not done yet.
///
/// Unfinished work is nodes x run time of the jobs that entered, less what is done of it (each job's work is spread
/// evenly from its start to its end). The window is cut into 16 equal parts; the mean amount of each, compared with
/// that of the part before, gives 15 changes. In a steady state they have no direction, however long the queue is. A
/// machine that is asked for more than it can do falls behind by about the same in each part. This is the test of
/// Student on the changes, one-sided at 10 % (in a steady state the changes cancel out, and it errs far less often),
/// together with a least growth: falling behind by 1 % of the machine's time or less is not worth a warning. Fewer than
/// 100 jobs are too few to tell a trend from a few large jobs.
struct Steadiness {
  Time from{}, to{};       ///< first and last submission of the jobs that are left when the first and last are cut
  double utilization = 0;  ///< node-seconds used in the window / (its length x nodes); 0 without a window
  double mean_queue = 0;   ///< waiting jobs, mean over the window
  double growth = 0;       ///< of unfinished work in the window, in parts of what the machine can do in that time
  double evidence = 0;     ///< t = mean change x sqrt(15) / standard deviation of the changes; 0 without a window
  bool saturated = false;  ///< growth above kLeastGrowth, evidence above kLeastEvidence, at least kLeastJobs jobs

  static constexpr double kLeastGrowth = 0.01, kLeastEvidence = 1.345;  ///< Student's t, 14 degrees of freedom, 10 %
  static constexpr std::size_t kLeastJobs = 100;                        ///< in the window
};

/// Jobs cut at each end. A small term keeps 2 % of 150 at 3 where binary fractions fall short of it.
std::size_t trimmed_jobs(std::size_t n, double trim);
/// `trim` as in MetricsOptions. O(jobs + timeline).
Steadiness steadiness(const RunResult& result, double trim);

}  // namespace coslice

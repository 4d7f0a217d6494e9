// Which jobs have parts of the same GPUs, and what that costs each of them: for explanations.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/time.h"
#include "resources/node_pool.h"
#include "workload/job.h"

namespace coslice {

/// A time in which two jobs had parts of the same GPU.
struct GpuTogether {
  JobIndex job = kNoJob, other = kNoJob;
  Time from{}, to{};
  double lost = 0;        ///< seconds: what the job's work took longer than it would have alone on the same nodes
  double other_lost = 0;  ///< the same of the other one
};

/// Follows jobs on parts of nodes, from what an observer hears of them. Without time slices, in which jobs are preempted.
class GpuPartners {
 public:
  /// The job is about to start there; `alone` is its speed if it has the nodes for itself.
  void placed(Time t, JobIndex j, const Parts& parts, double alone);
  /// Of a job that starts it is told before its place.
  void rate_changed(Time t, JobIndex j, double rate);
  /// The job's run is over: what it had in common with others, in the order in which that began.
  std::vector<GpuTogether> left(Time t, JobIndex j);

 private:
  struct Running {
    Parts parts;
    double alone = 1, rate = 1;
    Time since{};
    double lost = 0;  ///< seconds up to `since`
  };
  /// The sums of both when they came together.
  struct Since {
    JobIndex first = kNoJob, second = kNoJob;
    Time from{};
    double first_lost = 0, second_lost = 0;
  };
  static void settle(Running& r, Time t);

  std::map<JobIndex, Running> running_;
  std::map<JobIndex, double> told_;  ///< speeds of jobs that are not placed yet
  std::vector<Since> together_;
};

}  // namespace coslice

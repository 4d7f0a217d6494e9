// Which jobs have parts of the same GPUs, and what that costs each of them: for explanations.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/time.h"
#include "resources/node_pool.h"
#include "workload/job.h"

namespace coslice {

/// Two jobs that had parts of the same GPU.
struct GpuTogether {
  JobIndex job = kNoJob, other = kNoJob;
  Duration time{0};       ///< for how long both ran there
  double lost = 0;        ///< seconds: what the job's work took longer in that time than it would have alone on the same nodes
  double other_lost = 0;  ///< the same of the other one
};

/// Follows jobs on parts of nodes, from what an observer hears of them.
class GpuPartners {
 public:
  /// The job is about to start there; `alone` is its speed if it has the nodes for itself.
  void placed(Time t, JobIndex j, const Parts& parts, double alone);
  /// Of a job that starts it is told before its place.
  void rate_changed(Time t, JobIndex j, double rate);
  /// The job makes no progress until goes_on(): it was preempted, or its memory is being loaded.
  void pauses(Time t, JobIndex j);
  void goes_on(Time t, JobIndex j);
  /// The job's run is over: what it had in common with others, in the order in which that began.
  std::vector<GpuTogether> left(Time t, JobIndex j);

 private:
  struct Running {
    Parts parts;
    double alone = 1, rate = 1;
    Time since{};
    double lost = 0;  ///< seconds up to `since`
    bool on = true;   ///< it makes progress
  };
  struct Pair {
    JobIndex first = kNoJob, second = kNoJob;
    GpuTogether so_far;  ///< up to the last time that one of them paused
    bool both_on = true;
    Time since{};                              ///< when both went on
    double first_lost = 0, second_lost = 0;  ///< what they had lost by then
  };
  static void settle(Running& r, Time t);
  void begin(Pair& pair, Time t);
  void end(Pair& pair, Time t);

  std::map<JobIndex, Running> running_;
  std::map<JobIndex, double> told_;  ///< speeds of jobs that are not placed yet
  std::vector<Pair> pairs_;
};

}  // namespace coslice

// Where nodes differ: what the jobs that run or load, of all classes, leave of each node.
#pragma once

#include <algorithm>

#include "resources/fit_index.h"
#include "sched/job_demands.h"
#include "sched/view.h"

namespace coslice {

class RunningRoom {
 public:
  /// `demands` outlive it.
  explicit RunningRoom(const JobDemands& demands) : demands_(demands), pool_(demands.layout()), fitting_(pool_) {}
  RunningRoom(const RunningRoom&) = delete;
  RunningRoom& operator=(const RunningRoom&) = delete;

  void enter(const StartedJob& job) { pool_.take(request(job.unit), job.parts); }
  void leave(const StartedJob& job) { pool_.give(request(job.unit), job.parts); }

  const NodePool& pool() const { return pool_; }
  const Request& request(std::int32_t unit) const { return demands_.request_of(demands_.unit(unit)); }
  /// Returns those of the unit's nodes on which its request fits now.
  const NodeSet& fitting(std::int32_t unit) {
    return fitting_.fitting(unit, request(unit), demands_.nodes(demands_.unit(unit)));
  }
  /// Whether there is room for this part of the job's.
  bool has(const StartedJob& job, const NodePart& part) const {
    return fits_on(request(job.unit), pool_.room(part.node), part.gpus);
  }
  /// Whether the job, which does not run, could go on where it was.
  bool has(const StartedJob& job) const {
    return pool_.has_licences(request(job.unit)) &&
           std::all_of(job.parts.begin(), job.parts.end(), [&](const NodePart& part) { return has(job, part); });
  }

 private:
  const JobDemands& demands_;
  NodePool pool_;
  FitIndex fitting_;
};

}  // namespace coslice

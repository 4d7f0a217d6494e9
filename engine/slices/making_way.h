// Where nodes differ: the nodes of a job that starts in its class's slice, while jobs of other classes run there that make
// way for it. Its book knows nothing of those; they should have to stop only where it finds no place beside them.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "resources/fit_index.h"
#include "resources/start_place.h"
#include "sched/job_demands.h"
#include "sched/view.h"

namespace coslice {

// Where nodes differ: what the jobs that run or load, of all classes, leave of each node.

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

class MakingWay : public StartChoice {
 public:
  /// The jobs that make way just now for one of the class, the first to do so first.
  using Guests = std::function<std::vector<StartedJob*>()>;
  /// All references outlive it.
  MakingWay(const RunningRoom& room, Guests guests)
      : room_(room), guests_(std::move(guests)), beside_(room.pool()), offered_(room.pool()) {}

  /// Offers the placement what is free beside all of them, then beside all but the first, and so on. What it is shown is
  /// marked by who runs there, too: scores may depend on that, and the job's book knows only its own.
  bool choose_by(Placement& placement, std::uint32_t job, const Request& request, const NodePool& pool,
                 const NodeSet& fitting, Parts& out) override;

 private:
  void look(NodeId n, const Request& request, const NodePool& pool, NodeSet& free);

  const RunningRoom& room_;
  Guests guests_;
  NodePool beside_;   ///< what is left beside those that are not gone yet
  NodePool offered_;  ///< of that, what is left for as long as the job is to run
};

}  // namespace coslice

// A scheduler between the simulation of the present and a policy: it starts what runs already, and the policy decides
// once.
#pragma once

#include <vector>

#include "machine/placement.h"
#include "schedule/scheduler.h"

namespace coslice::drive {

/// Gives jobs the nodes that they have, and others what the policy's placement says.
class KnownNodes : public Placement {
 public:
  /// Places jobs on `nodes`, by JobIndex; by `others` (null: FirstFit) where these are empty. Both outlive the object.
  KnownNodes(const std::vector<NodeRanges>& nodes, Placement* others)
      : nodes_(nodes), others_(others != nullptr ? *others : first_fit_) {}
  bool choose(std::uint32_t job, const Request& request, const NodePool& pool, const NodeSet& fitting,
              Parts& out) override;

 private:
  const std::vector<NodeRanges>& nodes_;
  FirstFit first_fit_;
  Placement& others_;
};

class PresentScheduler : public Scheduler {
 public:
  /// Thrown out of the simulation when the policy has decided.
  struct Reached {};

  /// Wraps `policy`; `nodes`, by JobIndex, are those of jobs that run already. Both outlive the scheduler.
  PresentScheduler(Scheduler& policy, const std::vector<NodeRanges>& nodes, Time present)
      : policy_(policy), nodes_(nodes), present_(present) {}

  /// Returns what the policy started at the present instant, in its order.
  const std::vector<JobIndex>& starts() const { return starts_; }
  /// Returns jobs that run already, and for which there was no room on their nodes.
  const std::vector<JobIndex>& without_room() const { return without_room_; }

  void begin(View& view) override { policy_.begin(view); }
  std::optional<OwnCheckpoints> checkpoints(View& view, JobIndex j) override { return policy_.checkpoints(view, j); }
  std::optional<Duration> estimate(View& view, JobIndex j) override { return policy_.estimate(view, j); }
  void corrected(View& view, JobIndex j) override { policy_.corrected(view, j); }
  double key(View& view, JobIndex j) override { return policy_.key(view, j); }
  void submitted(View& view, JobIndex j) override { policy_.submitted(view, j); }
  void started(View& view, JobIndex j) override;
  void ended(View& view, JobIndex j, Time started) override { policy_.ended(view, j, started); }
  void dropped(View& view, JobIndex j) override { policy_.dropped(view, j); }
  void withdrawn(View& view, JobIndex j) override { policy_.withdrawn(view, j); }
  void schedule(View& view, const Pass& pass) override;

 private:
  bool runs_already(JobIndex j) const { return !nodes_[j].empty(); }
  void start_what_runs(View& view);

  Scheduler& policy_;
  const std::vector<NodeRanges>& nodes_;
  Time present_;
  std::vector<JobIndex> starts_, without_room_;
};

}  // namespace coslice::drive

// A policy in a simulation that begins with the present of a real machine.
#pragma once

#include <vector>

#include "drive/decider.h"
#include "drive/present.h"
#include "schedule/scheduler.h"

namespace coslice::drive {

/// A scheduler between the simulation and a policy: it starts what runs already, and the policy decides on the others
/// until the simulation is over: after the first pass of the present, unless a derived class goes on.
class PresentScheduler : public WrappedScheduler {
 public:
  /// `present` outlives the scheduler.
  explicit PresentScheduler(const Present& present);

  /// Returns what the policy started, in its order.
  const std::vector<JobIndex>& starts() const { return starts_; }
  /// Returns jobs that run already, and for which there was no room on their nodes.
  const std::vector<JobIndex>& without_room() const { return without_room_; }

  void started(View& view, JobIndex j) override;
  void schedule(View& view, const Pass& pass) override;

 protected:
  /// Returns whether the simulation ends after this pass. Asked from the present on.
  virtual bool is_over(const View&) { return true; }
  const Present& present() const { return present_; }
  bool runs_already(JobIndex j) const { return !present_.nodes[j].empty(); }

 private:
  friend void simulate_present(const Decider& decider, const Present& present, const std::vector<Job>& jobs,
                               PresentScheduler& scheduler);
  void start_what_runs(View& view);

  const Present& present_;
  std::vector<JobIndex> starts_, without_room_;
  std::size_t left_;  ///< jobs that run already and have not entered the queue
};

/// Lets the policy, loaded afresh, decide until the scheduler says that the simulation is over, or nothing is left to
/// happen. `jobs` are those of the present, which may run for other times. Throws SimulationError if the policy raises
/// an error.
void simulate_present(const Decider& decider, const Present& present, const std::vector<Job>& jobs,
                      PresentScheduler& scheduler);

}  // namespace coslice::drive

// A lane: the jobs that one scheduler decides about, in a view whose clock runs only while they may run. A run has one
// lane whose clock is that of the machine, or one for each class of jobs that has time slices of its own.
#pragma once

#include <deque>
#include <limits>
#include <memory>

#include "availability/node_availability.h"
#include "schedule/hosted_view.h"
#include "schedule/scheduler.h"

namespace coslice {

struct Lane {
  /// Makes the lane of a class. `clock_of_lane` null: its clock is that of the machine. All references outlive it.
  Lane(const std::vector<Job>& jobs, std::int32_t nodes, Time start, ViewHost& host,
       const std::vector<Observer*>& observers, Scheduler& scheduler_of_lane, SharingHost* sharing = nullptr,
       std::unique_ptr<WallClock> clock_of_lane = nullptr)
      : clock(std::move(clock_of_lane)), view(jobs, nodes, start, host, observers, sharing, clock.get()),
        scheduler(scheduler_of_lane) {}

  /// Says what fits by a ledger of the lane's own from now on.
  void use(std::unique_ptr<NodeAvailability> ledger_of_lane) {
    ledger = std::move(ledger_of_lane);
    view.use(ledger->demands(), ledger.get());
  }
  /// Limits how many nodes jobs may take now; where the lane has a ledger, only to none or any.
  void set_ceiling(std::int32_t nodes) {
    view.set_ceiling(ledger && nodes != 0 ? std::numeric_limits<std::int32_t>::max() : nodes);
  }
  /// Returns whether the lane has jobs to run.
  bool wants_slice() const { return !view.queue().empty() || !view.started().empty(); }
  /// Returns what has happened since its last pass, which `due` as Pass::due says follows now.
  Pass take_pass(bool due) {
    const Pass pass{submitted, ended, due, corrected};
    submitted = ended = corrected = reopened = woken = false;
    return pass;
  }

  std::unique_ptr<WallClock> clock;
  std::unique_ptr<NodeAvailability> ledger;  ///< null where one count of nodes says when jobs fit
  HostedView view;
  Scheduler& scheduler;
  // Since its last pass:
  bool submitted = false;    ///< jobs have come
  bool ended = false;        ///< jobs have ended, or something else may let others start
  bool corrected = false;    ///< jobs have outrun their estimates
  bool reopened = false;     ///< a slice of its own began
  bool woken = false;        ///< the scheduler asked for a pass now
  std::int32_t ceiling = 0;  ///< at its last pass
};

using Lanes = std::deque<Lane>;  ///< addresses are stable

}  // namespace coslice

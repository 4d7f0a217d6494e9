// Outages of nodes. A node that is down is down for every class: each view holds it, in
// the time of its class. It goes when no job of any class has it any more, preempted ones included: those have their
// memory there, or on its disk.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "events/outage_events.h"
#include "run/running_jobs.h"
#include "slices/slice_outlook.h"

namespace coslice {

class LaneOutages : private OutageHost {
 public:
  /// Stops the job, running or preempted, because a node of it failed.
  using Interrupt = std::function<void(StartedJob&)>;
  /// Makes the outages of a sliced run. All references outlive it.
  LaneOutages(const OutageOptions& options, Time start, const SliceOptions& slices, const SliceClock& clock,
              Lanes& classes, RunningJobs& started, const std::vector<Observer*>& observers, Interrupt interrupt);

  const OutageOptions& options() const { return events_.options(); }
  /// Returns when something happens next.
  Time next_time() const { return std::max(events_.next_time(), start_); }
  /// Plans what is known from the beginning. Called when the schedulers have begun.
  void plan();
  /// Handles outages that are due; `ended` jobs have ended so far. Before the first job is submitted there are none.
  /// Returns whether there were any.
  bool handle(std::size_t ended) { return clock_.now() >= start_ && events_.handle(clock_.now(), ended); }
  /// Notes that a node goes now, or is back (OutageEvents).
  void goes_outside(NodeId n) { events_.goes(n, clock_.now()); }
  void comes_back_outside(NodeId n) { events_.comes_back(n, clock_.now()); }
  /// Finds again where what is known on the wall clock lies in the time of each class, after a slice has begun.
  void look_again();
  /// Notes that a job that had these nodes ended or was interrupted.
  void job_left(const NodeRanges& nodes) { events_.nodes_left(nodes, clock_.now()); }
  /// Returns those of the nodes that are not to go when the jobs on them have ended.
  NodeRanges staying(const NodeRanges& nodes) const { return events_.staying(nodes); }
  /// Returns whether some node is down, or to go.
  bool some_down() const { return !believed_.empty(); }

 private:
  // OutageHost
  std::int32_t jobs_on(NodeId n) const override { return started_.jobs_on(n); }
  void goes(NodeId n) override { started_.void_order_on(n); }
  void interrupt_jobs_on(NodeId n) override {
    for (StartedJob* job : started_.jobs_with(n))
      if (!started_.survives(*job, n)) interrupt_(*job);
  }
  std::string most_interrupted() const override { return started_.times().most_interrupted(); }
  /// Returns whether the class's ledger may hold the node. A ledger by counts that does not know who has which nodes
  /// may not: it would have one node fewer for others while the job still holds it.
  bool can_take_down(NodeId n) const override {
    const std::unique_ptr<NodeAvailability>& ledger = classes_.front().ledger;
    return started_.limits_are_work() || (ledger && ledger->directs()) || jobs_on(n) == 0;
  }
  void take_down(NodeId n, Time until) override;
  void believe_down(NodeId n, Time until) override;
  void left_by_job(NodeId n, Time until) override;
  void is_gone(NodeId n) override { started_.take_down(n); }
  bool bring_back(NodeId n) override;
  void maintenance_begins(const Outage& outage) override;

  /// Maintenance to come, by class in its own time.
  struct Window {
    NodeRanges nodes;
    TimeWindow wall;
    std::vector<TimeWindow> planned;
  };
  Time in_time_of(std::size_t c, Time wall, const SliceOutlook::Rest& rest) const;

  Duration interval_;
  const SliceClock& clock_;
  Lanes& classes_;
  RunningJobs& started_;
  Interrupt interrupt_;
  SliceOutlook outlook_;
  Time start_;
  OutageEvents events_;
  std::vector<DownNodes> down_;      ///< by class
  std::map<NodeId, Time> believed_;  ///< of nodes that were taken down: when they are believed to be back
  std::deque<Window> windows_;
};

}  // namespace coslice

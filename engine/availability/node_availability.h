// What is free of a heterogeneous machine: the forms of the ledger (availability.h) that distinguish nodes.
#pragma once

#include <cassert>

#include "availability/availability.h"
#include "jobs/job_demands.h"

namespace coslice {

class Occupancy;
class Placement;

/// While a job is shielded, fits_now() and start() let no job delay it.
class NodeAvailability : public Availability {
 public:
  const JobDemands& demands() const { return *demands_; }
  /// Notes that there are more demands than when the ledger was made. Precondition: where they are of nodes of which
  /// there were none, jobs hold no reservations.
  virtual void demands_added() {}
  std::int32_t free_now() const override { return std::min(demands_->layout().node_count() - used_nodes_, ceiling_); }
  Position next_passing(const WaitingQueue& queue, Position from, Position stop) override;
  Time earliest(const Ask& a, Time after) final {
    Time best = kNever;
    for (const std::int32_t unit : demands_->demand(a.job)) best = std::min(best, earliest_in(unit, a.duration, after));
    return best;
  }
  bool fits_at(const Ask& a, Time t) final {
    const Demand& demand = demands_->demand(a.job);
    return std::ranges::any_of(demand, [&](std::int32_t unit) { return fits_in(unit, t, later(t, a.duration)); });
  }
  bool fits_without(const Ask& a, const std::vector<StartedJob*>& jobs, std::int64_t held,
                    std::int64_t allowed) const override;
  void take_in(const StartedJob&, std::int32_t /*nodes*/, Time /*end*/) override { assert(false); }
  void let_go(const StartedJob&, std::int32_t /*nodes*/, Time /*end*/) override { assert(false); }
  bool would_leave_more() const override { return true; }
  static constexpr std::int32_t kEveryAccess = -1;
  /// Closes the nodes in [from, to) to jobs with that access (into JobDemands::accesses()), or to all jobs with
  /// kEveryAccess: none fits that would be on them then. reopen() with the same values reopens them. Precondition:
  /// JobDemands::distinguish() was told of these nodes.
  virtual void close(const NodeRanges& nodes, Time from, Time to, std::int32_t access) = 0;
  virtual void reopen(const NodeRanges& nodes, Time from, Time to, std::int32_t access) = 0;
  /// Prepares for many calls of close() and reopen(). Precondition: no job has a reservation.
  virtual void expect_many_closures() {}
  /// Lets only close() and reopen() say when reservations of nodes keep jobs off, because windows are on another clock
  /// than this ledger's. Called before anything is planned.
  void ignore_windows() {
    windows_ignored_ = true;
    planned_ = 0;
    reservations_changed();
  }
  /// Forgets what was found out for a waiting job that asks for something else from now on (JobDemands::choose_size).
  void asks_anew() { ++changes_; }
  /// Announces the reservation of nodes, by its number: from now on, no job to which it is closed fits in its windows.
  /// Jobs that are on its nodes stay. Reservations that are known from the beginning need not be announced.
  /// Precondition: jobs hold no reservations.
  void announce(std::int32_t reservation);
  /// Forgets the reservation of nodes, whose last window is over.
  void forget(std::int32_t reservation) {
    if (counts(reservation)) --planned_;
    ++changes_;
    window_over();
  }
  bool in_effect(std::int32_t reservation) const override { return in_effect_[static_cast<std::size_t>(reservation)]; }

  // --- started jobs that change their nodes
  /// Returns which of these nodes a job keeps that gives some up: the fastest, of those the lowest.
  NodeRanges nodes_to_keep(const NodeRanges& nodes, std::int32_t count) const;
  bool room_to_resize(const StartedJob& job, std::int32_t nodes, Time end) final;
  /// Returns has_more() where those that are kept for the job are its own until `end` only beside all reservations,
  /// too.
  virtual bool room_for_more(const StartedJob& job, std::int32_t nodes, Time end) = 0;
  /// Returns the nodes that the job is to have beside its own (StartedJob::nodes), so many, of those that it may have:
  /// `kept` are kept for it. Precondition: has_more().
  virtual NodeRanges more_nodes(const StartedJob& job, const NodeRanges& kept, std::int32_t more, Time end) = 0;
  /// Returns whether the job could hold these nodes until `end` beside all reservations; what it does not hold of them
  /// is not held by another job.
  virtual bool room_for_nodes(const StartedJob& job, const NodeRanges& nodes, Time end) = 0;
  /// Lets the job hold these nodes from now on until `end`, as that unit of its demand. Precondition: it has room on
  /// those of them that it does not hold.
  virtual void resize(StartedJob& job, const NodeRanges& nodes, Time end) = 0;
  /// Returns whether jobs may have parts of nodes. Else what stands for a node that is down (take_down) also holds one
  /// that a job is to give up.
  virtual bool has_parts() const { return false; }
  /// Returns what the job holds of these nodes, or has of those that are given up. Precondition: has_parts().
  virtual Parts parts_on(const StartedJob& /*job*/, const NodeRanges& /*nodes*/) const { return {}; }
  /// Returns the index of what holds the parts of nodes that the job is to give up; it is of no job.
  JobIndex index_of_given_up(JobIndex j) const {
    return kNoJob - 1 - static_cast<JobIndex>(demands_->layout().node_count()) - j;
  }
  /// Lets `given_up`, with that index, hold what the job has of given_up.nodes and does not hold any more, until
  /// given_up.expected_end, which is now. hold(), room_to_hold() and finish() take it as they take jobs. Precondition:
  /// has_parts().
  virtual void give_up(const StartedJob& /*given_up*/, const StartedJob& /*job*/) { assert(false); }

  // --- started jobs that lend their nodes
  /// Returns whether started jobs can lend their nodes: where each has whole ones.
  virtual bool lends() const { return false; }
  void start_over(StartedJob&, const NodeRanges& /*lent*/) override { assert(false); }
  /// Lets the job hold these nodes, which were lent to it, itself from now on. Precondition: they are idle.
  virtual void keep_lent(StartedJob&, const NodeRanges& /*nodes*/) { assert(false); }

 protected:
  /// Whether what is kept for a job stays with it until an end that may be later than that until which it is held.
  enum class Kept : std::uint8_t { kStays, kIfThereIsRoom };
  NodeAvailability(const JobDemands& demands, Time start);
  NodeAvailability(const NodeAvailability&) = default;

  /// Returns the times in which jobs with that access do not fit on the node.
  TimeWindows closed_times(std::int32_t access, NodeId node) const;
  /// Returns when what is planned begins, or began: these closures, which are in order of their beginnings, or
  /// reservations of nodes that keep some job off; kNever: never.
  template <class Closures>
  Time first_closed(const Closures& closures) const {
    const Time first = windows_ignored_ ? kNever : first_window();
    return closures.empty() ? first : std::min(first, closures.front().from);
  }
  /// Returns earliest() for one unit of a demand.
  virtual Time earliest_in(std::int32_t unit, Duration d, Time after) = 0;
  /// Returns fits_at() for one unit of a demand, in [t, end).
  virtual bool fits_in(std::int32_t unit, Time t, Time end) = 0;
  /// Returns whether a job that ends then must leave the shielded one what it needs.
  bool beside_shield(Time end) const { return end > shadow_; }
  /// Is called when other reservations of nodes are in effect.
  virtual void reservations_changed() = 0;
  /// Is called when the last window of a reservation of nodes is over.
  virtual void window_over() {}

  const JobDemands* demands_;
  std::vector<bool> in_effect_;   ///< by reservation of nodes
  std::int32_t used_nodes_ = 0;   ///< by what it holds now, nodes that are down included
  Time shadow_ = kNever;          ///< when the shielded job can start; kNever: there is none, or it never can
  bool windows_ignored_ = false;  ///< ignore_windows()
  std::int32_t planned_ = 0;

 private:
  /// Returns when reservations of nodes begin, or began, to keep some job off; kNever: they never do.
  Time first_window() const;
  /// Returns whether the reservation of nodes keeps some job off: also before it is announced, that of jobs that name
  /// it. One to which all jobs are entitled keeps none off.
  bool counts(std::int32_t reservation) const {
    const std::vector<NodeAccess>& all = demands_->accesses();
    for (std::size_t a = 0; a != all.size(); ++a) {
      const bool closed = all[a].to[static_cast<std::size_t>(reservation)] == NodeAccess::To::kClosed;
      if (all[a].only == reservation || (closed && in_effect(reservation) && demands_->is_used(a))) return true;
    }
    return false;
  }
};

/// Makes the simplest ledger that suits the jobs: one of counts where that is enough. `placement` null: jobs get the
/// first nodes on which they fit. `occupancy` says which nodes are idle. All references outlive it.
std::unique_ptr<NodeAvailability> make_node_availability(const JobDemands& demands, Placement* placement,
                                                         const Occupancy& occupancy, Time start);

}  // namespace coslice

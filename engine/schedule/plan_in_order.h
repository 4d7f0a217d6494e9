// A plan for one instant: jobs in order of the queue, each at its earliest beside those before it; those whose turn is
// now start, and the plan is forgotten. What Slurm's backfill scheduler does at each of its cycles.
//
// Of a plan only the starts remain. So nothing is planned behind the last job that could still start now, beside what
// is planned already: of a queue of thousands on a full machine, most jobs are not looked at. Jobs that ask alike for
// as long are one question. Where an observer hears promises, or explains, all is planned.
#pragma once

#include "jobs/attributes.h"
#include "schedule/view.h"

namespace coslice {

// When a plan looks whether running jobs have gone. Slurm's select plugin asks when a job can start by taking running
// jobs in the order of their ends, those that end close to one another together; it looks only when the last of
// such a group is gone. The groups span longer each, so that plans are coarser far ahead than near.

struct EndGrouping {
  Duration first{0};  ///< jobs that end within so long of the first one go together; 0: each by itself
  Duration step{0};   ///< how much longer each further group is; 0: twice as long as the one before
  /// Groups end at multiples of `first` on the clock, the next one after the first end, instead of each at its own
  /// first end.
  bool aligned = false;

  /// Returns from when on the groups are reckoned whose first end is at t. `day_begun`: PlanOptions::day_begun.
  Time mark(Time t, Duration day_begun) const;
  /// Returns how long the group is that comes after one of that span.
  Duration longer(Duration span) const;
  /// Returns how long the first of those is that is at least so long. Precondition: span > 0.
  Duration at_least(Duration span, Duration least) const;
};

class EndGroups {
 public:
  /// Makes the groups of ends of the jobs that run in the view, which outlives it.
  EndGroups(const View& view, const EndGrouping& grouping, Duration day_begun)
      : view_(view), grouping_(grouping), day_begun_(day_begun) {}

  /// Forgets the groups: jobs have started since they were made.
  void refresh() { known_ = false; }
  /// Returns when the group is gone to which the jobs belong that end at t on these nodes; t where no job does. Null:
  /// any nodes.
  Time gone(Time t, const NodeSet* nodes);

 private:
  const View& view_;
  const EndGrouping& grouping_;
  Duration day_begun_;  ///< PlanOptions::day_begun
  bool known_ = false;
  std::vector<std::pair<Time, const NodeRanges*>> ends_;  ///< of what runs, ascending
};

/// A limit on how many jobs that are alike in these attributes are entries of the plan.
struct PlanLimit {
  std::vector<const Attribute*> alike;  ///< whole numbers
  std::size_t most = 0;
};

/// Running jobs that may be stopped for one that is an entry of the plan.
struct PlanPreemption {
  std::vector<StartedJob*> candidates;  ///< in order of preference
  StopOrder order;                      ///< a job starts at once where others write checkpoints for it
};

/// A partition in which a job of several is an entry of the plan.
struct PlanPartition {
  std::int32_t partition = -1;  ///< into MachineLayout::partitions
  double behind = 0;            ///< by how much its key is behind the job's own
};

struct PlanOptions {
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  std::size_t depth = kAll;   ///< jobs that are looked at, not counting those that the filter or a limit leaves out
  std::size_t starts = kAll;  ///< the plan ends after this many starts
  std::size_t reservations = kAll;  ///< number of jobs that are entries; those behind them start, or not
  /// Number of instants, from now to the horizon, at which entries begin or end, after which the plan ends.
  std::size_t instants = kAll;
  std::vector<PlanLimit> limits;  ///< a job counts for them if it is within all
  /// Returns for how many jobs one that is an entry counts, for limits and depth. Empty: 1. It decides nothing itself.
  std::function<std::size_t(JobIndex)> counts_as;
  Time horizon = kNever;  ///< a job that would start later is no entry
  ReservationKeeps keeps = ReservationKeeps::kAskedFor;
  bool busy_nodes = false;  ///< entries for later are first on nodes on which jobs are now
  /// Whether a job that shares no nodes is tried on those that one job that shares has. It cannot start there; from now
  /// on they are kept for it all the same, and no other job of the plan starts on them (Slurm's select/linear).
  bool tries_shared = false;
  /// Entries begin and end at multiples of it, earlier than jobs do; 0: when jobs do.
  Duration resolution{0};
  Duration day_begun{0};  ///< how long before time 0 a day began: multiples count from its beginning
  EndGrouping ends{};     ///< when entries for later begin
  /// Returns whether the job is considered at all; jobs that are left out do not count for limits. Empty: all are. It
  /// decides nothing itself.
  std::function<bool(JobIndex)> may_start;
  /// A job that may_start refuses is refused for all of the plan. So the plan ends at the last job with room that it
  /// does not refuse: where limits keep jobs from nodes that are free, no plan of all jobs is made for their sake.
  bool refusals_stay = false;
  /// Returns whether the job may be an entry of the plan if it cannot start now; others start now or not at all. Empty:
  /// all may. It decides nothing itself.
  std::function<bool(JobIndex)> may_hold;
  /// Returns the partitions in each of which the job is an entry by itself: first there where it stands in the queue,
  /// in the others behind that, by their tiers and keys. It starts in the first in which it can. Empty: one entry, in
  /// any of its partitions. Where places are those of Slurm (with whole nodes, a resolution and aligned ends) only.
  std::function<std::vector<PlanPartition>(JobIndex)> partitions;
  /// Is told which of these the functions here are asked about next; -1: none of them.
  std::function<void(std::int32_t)> looks_in;
  /// Whether a moldable job starts with the largest of its sizes that fits then, also later; it waits with the least.
  bool largest_sizes = false;
  /// Returns which running jobs may be stopped for one that cannot start now: those of the first way that leaves it
  /// enough nodes of no entry. It is an entry there from now on, and starts in a later pass, as what ran there has to
  /// be cleared away first. Where it has to wait, what may be stopped is taken to be gone. Empty: none. With whole
  /// nodes, a resolution and aligned ends only, and where jobs may have parts of nodes. It decides nothing itself.
  std::function<std::vector<PlanPreemption>(JobIndex)> preempts;
};

struct PlanResult {
  std::size_t tested = 0, started = 0;
  std::size_t stopped = 0;  ///< running jobs, for others
  bool complete = true;     ///< not cut short because the jobs left could not start now
};

PlanResult plan_in_order(View& view, const PlanOptions& options);

}  // namespace coslice

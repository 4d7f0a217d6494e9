// Observers of what happens in a run: metrics, fingerprint, explanations, invariant checks. An observer never changes
// the run.
#pragma once

#include <cstdint>

#include "cluster/node_set.h"
#include "core/time.h"
#include "core/work.h"
#include "outages/outage.h"
#include "resources/node_pool.h"
#include "sched/job_times.h"
#include "workload/job.h"

namespace coslice {

class DecisionObserver;
struct Group;

/// Why a job was started.
enum class StartReason : std::uint8_t {
  kInOrder,       ///< it was the first of the queue and fitted
  kBackfilled,    ///< it passed others without delaying a reservation
  kReservation,   ///< its reservation came due
  kPolicy,        ///< a policy's own pass said so
  kForeignSlice,  ///< it fitted into a slice of another class
};

/// Why a job was rejected.
enum class Rejection : std::uint8_t {
  kNeverFits,  ///< when it came, it could never run: it needs more than the machine has, or than reservations leave it
  kOver,       ///< the reservation of nodes in which it runs only is over for good
  kPolicy,     ///< its policy refused it
  kNotAtOnce,  ///< it did not start when it came, and such jobs are dropped
  kRanBefore,  ///< on record it ended before the policy decides, and there was no room for it here
};
inline constexpr std::size_t kRejections = 5;

/// What the machine and the queue look like when everything at an instant has been handled.
struct InstantState {
  Time now;
  std::int32_t waiting;
  std::int32_t used_nodes;
  std::int64_t used_cores;
  std::int32_t down_nodes = 0;  ///< not there: failed, drained, in maintenance
};

/// What let a job come after its submission: the last of all that it waited for.
struct Release {
  enum What : std::uint8_t {
    kBegin,  ///< the time before which it was not to come
    kHold,   ///< it was held
    kJob,    ///< `by` started or ended
    kArray,  ///< `by`, of the same array, ended
  } what = kBegin;
  JobIndex by = kNoJob;
};

class Observer {
 public:
  virtual ~Observer() = default;
  /// The observer of decisions that belongs to this one; null: none. Asked before the run.
  virtual DecisionObserver* decisions() { return nullptr; }
  /// The job entered the queue.
  virtual void submitted(Time, JobIndex) {}
  /// The job comes later than at its submit time; submitted() follows.
  virtual void released(Time, JobIndex, const Release&) {}
  /// The job never comes: what it needs of `by` can not happen any more.
  virtual void unfulfilled(Time, JobIndex, JobIndex /*by*/) {}
  /// The waiting job was set aside by its policy, or waits in the queue again.
  virtual void set_aside(Time, JobIndex, bool /*aside*/) {}
  /// The job, which had not started, was cancelled by its user: it leaves the queue, or never enters it.
  virtual void withdrawn(Time, JobIndex) {}
  /// The job will never run.
  virtual void rejected(Time, JobIndex, Rejection) {}
  /// A scheduler gave the job a reservation; may be called again with an earlier one.
  virtual void reserved(Time /*now*/, JobIndex, Time /*start*/) {}
  /// Whether reserved() does anything, also for expected starts for which no nodes are held. Without a listener passes
  /// are saved.
  virtual bool hears_promises() const { return false; }
  /// A scheduler decided the start, which takes effect at this same instant.
  virtual void decided(Time, JobIndex, StartReason) {}
  /// Where nodes differ: which parts of nodes the job has from now on, just before started(); none where every job of
  /// the run has whole nodes. `partition` is into MachineLayout::partitions, -1 where there is none.
  virtual void placed(Time, JobIndex, const Parts&, std::int32_t /*partition*/) {}
  /// The job runs on these nodes from now on.
  virtual void started(Time, JobIndex, const NodeRanges&) {}
  /// Where jobs are preempted: the job stopped and left its nodes, which stay allocated to it.
  virtual void preempted(Time, JobIndex) {}
  /// The preempted job runs again, on its old nodes (after loading, if that follows).
  virtual void resumed(Time, JobIndex, const NodeRanges&) {}
  /// Just after the start of the job: `nodes` of its nodes were powered down, or some are still booting; it makes no progress
  /// for `wait`.
  virtual void booting(Time, JobIndex, Duration /*wait*/, std::int32_t /*nodes*/) {}
  /// The job's memory is being loaded: the job makes no progress for `time`, unless it is preempted.
  virtual void loading(Time, JobIndex, Duration /*time*/) {}
  /// Loading is over; it makes progress from now on.
  virtual void loaded(Time, JobIndex) {}
  /// Loading another job displaced memory of this one; writing it out lengthens its work by `time`.
  virtual void swapped_out(Time, JobIndex, Duration /*time*/) {}
  /// The job runs at that rate from now on. Called before started() where the job never runs at rate 1.
  virtual void rate_changed(Time, JobIndex, Rate) {}
  /// The jobs of the group share nodes from now on; the new ones among them started at this instant. `gain` is the expected one.
  virtual void group_formed(Time, const Group&, double /*gain*/) {}
  /// The sharing group is dissolved: one job is left, or its primary ended. A job that remains runs alone.
  virtual void group_ended(Time, const Group&) {}
  /// A slice of that class (by number) began, with at most this much productive time.
  virtual void slice_begun(Time, std::size_t /*job_class*/, Duration /*productive*/) {}
  /// The productive part of the slice is over.
  virtual void slice_ended(Time, std::size_t /*job_class*/) {}
  /// The job stopped because a node of it failed or its policy said so; all its nodes are idle, or not there. If it is
  /// requeued, submitted() and started() follow some time.
  virtual void interrupted(Time, JobIndex, const NodeRanges&, const Interruption&) {}
  /// An outage begins, as it was planned or drawn; its nodes go now or when their jobs have ended.
  virtual void outage_begun(Time, const Outage&) {}
  /// The node is down from now on.
  virtual void node_down(Time, NodeId, OutageKind) {}
  /// The node is up again.
  virtual void node_up(Time, NodeId) {}
  /// The job ended, by itself or (killed) at its limit; the nodes are idle again.
  virtual void ended(Time, JobIndex, const NodeRanges&, bool /*killed*/) {}
  /// A scheduling pass is over.
  virtual void passed(Time) {}
  /// Everything at this instant is done.
  virtual void settled(const InstantState&) {}
};

}  // namespace coslice

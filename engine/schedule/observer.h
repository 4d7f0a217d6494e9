// Observers of what happens in a run: metrics, fingerprint, explanations, invariant checks. An observer never changes
// the run.
#pragma once

#include <cstddef>
#include <string_view>

#include "jobs/job_times.h"
#include "machine/node_room.h"
#include "machine/node_set.h"
#include "machine/outage.h"

namespace coslice {

class DecisionObserver;
struct Group;

/// Why a job was started.
enum class StartReason : std::uint8_t {
  kInOrder,       ///< the job was the first of the queue and fitted
  kBackfilled,    ///< the job passed others without delaying a reservation
  kReservation,   ///< the job's reservation came due
  kPolicy,        ///< a policy's own pass said so
  kForeignSlice,  ///< the job fitted into a slice of another class
};

/// Why a job was rejected.
enum class Rejection : std::uint8_t {
  kNeverFits,  ///< when it came, it could never run: it needs more than the machine has, or than reservations leave it
  kOver,       ///< the reservation of nodes in which it runs only is over for good
  kPolicy,     ///< the job's policy refused it
  kNotAtOnce,  ///< the job did not start when it came, and such jobs are dropped
  kRanBefore,  ///< by the record it ended before the policy decides, and there was no room for it here
};
inline constexpr std::size_t kRejections = 5;

/// What the machine and the queue look like when everything at an instant has been handled.
struct InstantState {
  Time now;
  std::int32_t waiting;
  std::int32_t used_nodes;
  std::int64_t used_cores;
  std::int32_t down_nodes = 0;  ///< failed, drained, in maintenance
};

/// What let a job come after its submission: the last of all that it waited for.
struct Release {
  enum What : std::uint8_t {
    kBegin,  ///< the time before which it was not to come
    kHold,   ///< the job was held
    kJob,    ///< `by` started or ended
    kArray,  ///< `by`, of the same array, ended
  } what = kBegin;
  JobIndex by = kNoJob;
};

class Observer {
 public:
  virtual ~Observer() = default;
  /// Returns the observer of decisions that belongs to this one; null: none. Asked before the run.
  virtual DecisionObserver* decisions() { return nullptr; }
  /// Tells that the job entered the queue.
  virtual void submitted(Time, JobIndex) {}
  /// Tells that the job comes later than at its submit time; submitted() follows.
  virtual void released(Time, JobIndex, const Release&) {}
  /// Tells that the job never comes: what it needs of the job `by` cannot happen any more.
  virtual void unfulfilled(Time, JobIndex, JobIndex /*by*/) {}
  /// Tells that the waiting job was set aside by its policy, or waits in the queue again.
  virtual void set_aside(Time, JobIndex, bool /*aside*/) {}
  /// Tells that the job, which had not started, was cancelled by its user: it leaves the queue, or never enters it.
  virtual void withdrawn(Time, JobIndex) {}
  /// Tells that the job will never run.
  virtual void rejected(Time, JobIndex, Rejection) {}
  /// Tells that a scheduler gave the job a reservation; may be called again with an earlier one.
  virtual void reserved(Time /*now*/, JobIndex, Time /*start*/) {}
  /// Returns whether reserved() does anything, also for expected starts for which no nodes are held. Without a listener
  /// passes are saved.
  virtual bool hears_promises() const { return false; }
  /// Tells that a scheduler decided the start, which takes effect at this same instant.
  virtual void decided(Time, JobIndex, StartReason) {}
  /// Tells, on a heterogeneous machine, which parts of nodes the job has from now on, just before started(); none where
  /// every job of the run has whole nodes. `partition` is into MachineLayout::partitions, -1 where there is none. Where
  /// jobs have parts of nodes it is told again just before resized().
  virtual void placed(Time, JobIndex, const Parts&, std::int32_t /*partition*/) {}
  /// Tells that the job runs on these nodes from now on.
  virtual void started(Time, JobIndex, const NodeRanges&) {}
  /// Tells, where jobs are preempted, that the job stopped and left its nodes, which stay allocated to it.
  virtual void preempted(Time, JobIndex) {}
  /// Tells that the job stopped and lends its nodes to others until they have ended; resumed() follows.
  virtual void suspended(Time t, JobIndex j) { preempted(t, j); }
  /// Tells that the preempted job runs again, on its old nodes (after loading, if that follows).
  virtual void resumed(Time, JobIndex, const NodeRanges&) {}
  /// Tells, just after the start of the job, that `nodes` of its nodes were powered down, or some are still booting; it
  /// makes no progress for `wait`. Again, with 0 nodes, when a job that was preempted meanwhile is resumed and they
  /// still are.
  virtual void booting(Time, JobIndex, Duration /*wait*/, std::int32_t /*nodes*/) {}
  /// Tells that the job's memory is being loaded: the job makes no progress for `time`, unless it is preempted.
  virtual void loading(Time, JobIndex, Duration /*time*/) {}
  /// Tells that loading is over; the job makes progress from now on.
  virtual void loaded(Time, JobIndex) {}
  /// Tells that loading another job displaced memory of this one; writing it out lengthens its work by `time`.
  virtual void swapped_out(Time, JobIndex, Duration /*time*/) {}
  /// Tells that the job runs at that rate from now on. Called before started() where the job never runs at rate 1.
  virtual void rate_changed(Time, JobIndex, Rate) {}
  /// Tells that the elastic job, which had the nodes `before`, has others from now on, and makes no progress for
  /// `standstill`. rate_changed() follows, unless it gets on as fast as before.
  virtual void resized(Time, JobIndex, const NodeRanges& /*before*/, const NodeRanges&, Duration /*standstill*/) {}
  /// Tells that the jobs of the group share nodes from now on; the new ones among them started at this instant. `gain`
  /// is the expected one.
  virtual void group_formed(Time, const Group&, double /*gain*/) {}
  /// Tells that the sharing group is dissolved: one job is left, or its primary ended. A job that remains runs alone.
  virtual void group_ended(Time, const Group&) {}
  /// Tells that a slice of that class (by number) began, with at most this much productive time.
  virtual void slice_begun(Time, std::size_t /*job_class*/, Duration /*productive*/) {}
  /// Tells that the productive part of the slice is over.
  virtual void slice_ended(Time, std::size_t /*job_class*/) {}
  /// Tells that the job stopped because a node of it failed or its policy said so; its nodes are idle, down, or those
  /// of others of its sharing group. If it is requeued, submitted() and started() follow some time.
  virtual void interrupted(Time, JobIndex, const NodeRanges&, const Interruption&) {}
  /// Tells that an outage begins, as it was planned or drawn; its nodes go now or when their jobs have ended.
  virtual void outage_begun(Time, const Outage&) {}
  /// Tells that the node is down from now on.
  virtual void node_down(Time, NodeId, OutageKind) {}
  /// Tells that the node is up again.
  virtual void node_up(Time, NodeId) {}
  /// Tells that the job ended, by itself or (killed) at its limit; the nodes are idle again.
  virtual void ended(Time, JobIndex, const NodeRanges&, bool /*killed*/) {}
  /// Tells that a scheduling pass is over.
  virtual void passed(Time) {}
  /// Tells that everything at this instant is done.
  virtual void settled(const InstantState&) {}
};

// What a scheduler weighs when it decides: told to registered observers where decisions are made, so that explanations
// are made of what was done, not of what a second reading of the rules would have done. Without an observer it costs a
// branch.

class View;
struct GroupPlan;

/// Why jobs were not placed on the same nodes.
enum class GroupRefusal : std::uint8_t {
  kLowGain,      ///< the group gains less than it has to
  kNodes,        ///< more nodes would have to be idle
  kReservation,  ///< a job that holds a reservation would start later
  kUnfair,       ///< some job would end later than it may expect
  kLessGain,     ///< another one gains more
  kPolicy,       ///< the policy says why
};

/// Why a waiting job was not let into a slice of another class.
enum class ForeignRefusal : std::uint8_t {
  kNodes,        ///< not enough nodes for as long as it would be there
  kOwnNodes,     ///< the job does not finish in the slice, and too many nodes are allocated to jobs of its own class
  kReservation,  ///< the job would delay a job of its own class
};

/// What a matrix of processors that several jobs share had left for a job.
struct RoomInRows {
  std::int32_t needed = 0;     ///< processors
  std::int32_t most_free = 0;  ///< in the emptiest row
  JobIndex head = kNoJob;      ///< the first job that waits, if it is another one
  bool may_pass = false;       ///< others may start before it if they do not delay it
  Time shadow = kNever;        ///< when the first one is to start
};

class DecisionObserver {
 public:
  virtual ~DecisionObserver() = default;

  /// Tells that the job has just entered the view's queue.
  virtual void queued(const View&, JobIndex) {}
  /// Tells that a pass of the view's scheduler begins.
  virtual void asked(const View&) {}
  /// Tells that the waiting job at this position of the queue starts: it still stands there.
  virtual void starting(const View&, std::size_t /*position*/) {}
  /// Tells that the job at `head` cannot start, and no job may pass it.
  virtual void blocked(const View&, std::size_t /*head*/) {}
  /// Tells that the job at `head` cannot start. It is to do so at `shadow`; those behind it and before `end` may pass
  /// it if they are over by then or need no more than `extra` nodes.
  virtual void blocked(const View&, std::size_t /*head*/, Time /*shadow*/, std::int32_t /*extra*/,
                       std::size_t /*end*/) {}
  /// Tells that in this pass no job may delay the start of that waiting job, which holds no reservation beyond the
  /// pass.
  virtual void shields(const View&, JobIndex, Time /*start*/) {}
  /// Tells that the policy's rule (may_start) refuses the job now.
  virtual void ruled_out(const View&, JobIndex) {}
  /// Tells the policy's own words for what it does about the job next.
  virtual void reasoned(const View&, JobIndex, std::string_view) {}
  /// Tells that the policy asked for a pass at that time, and says what it does then.
  virtual void wakes(const View&, Time, std::string_view /*what*/) {}
  /// Tells that the jobs of the plan were not placed on the same nodes. `hurt`: the job that would be harmed, if it is
  /// one.
  virtual void group_refused(const View&, const GroupPlan&, GroupRefusal, JobIndex /*hurt*/, std::string_view) {}
  /// Tells that the slice of the view's class begins.
  virtual void opened(const View&) {}
  /// Tells that the productive part of the slice of the view's class is over.
  virtual void closed(const View&) {}
  /// Tells that the job was looked at for the rest of another class's slice.
  virtual void foreign_refused(const View&, JobIndex, ForeignRefusal) {}
  /// Tells that the job was not admitted to processors that several jobs share.
  virtual void not_admitted(Time, JobIndex, const RoomInRows&) {}
};

}  // namespace coslice

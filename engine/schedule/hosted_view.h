// A view as its host has it: jobs come and go, nodes go down and come back, time passes.
#pragma once

#include "schedule/view.h"

namespace coslice {

class HostedView : public View {
 public:
  /// Makes a view. `sharing` is null where jobs share no nodes, `clock` where the view's own clock is the wall clock.
  /// All references outlive it.
  HostedView(const std::vector<Job>& jobs, std::int32_t nodes, Time start, ViewHost& host,
             const std::vector<Observer*>& observers, SharingHost* sharing = nullptr, const WallClock* clock = nullptr)
      : View(jobs, nodes, start, host, observers, sharing, clock) {}

  StartedList& started_jobs() { return started_.running; }
  /// Makes `ledger` what says which jobs fit; null: a count of nodes. Called before the first job is enqueued; both
  /// outlive the view.
  void use(const JobDemands& demands, NodeAvailability* ledger);
  /// Lets the job wait before all others of which this was not said, whatever orders these.
  void put_first(JobIndex j);
  /// Adds an observer of the run: it, or the observer of decisions that belongs to it, is told of decisions and
  /// reservations. Called before the run.
  void listen(Observer& o) {
    if (DecisionObserver* d = o.decisions()) listeners_.push_back(d);
    promises_heard_ |= o.hears_promises();
  }
  /// Sets what own_estimate() says from now on.
  void believe(JobIndex j, const std::optional<Duration>& estimate);
  /// Allows at most n nodes to be taken now (0: the view is closed, nothing may start).
  void set_ceiling(std::int32_t n) { available_->set_ceiling(n); }
  /// Takes the waiting job at p out of the queue without asking its scheduler; it holds no nodes. A reservation of its
  /// own is given back.
  StartedJob& admit(Position p);
  /// Changes until when the profile holds a started job's nodes, and how many of them. Where that collides with
  /// reservations, all of them are taken out and put back at their earliest, in order of (reserved start, queue): then
  /// they may move later.
  void hold(StartedJob& job, std::int32_t nodes, Time end);
  /// Lets the job hold these nodes from now on until `end`, in place of those that it held: of those that it did not
  /// hold, none has a job. Reservations as for hold().
  void hold_nodes(StartedJob& job, const NodeRanges& nodes, Time end);
  /// Holds nodes from now until `end` for a job of another view. They must be free.
  void hold_foreign(const StartedJob& job, std::int32_t nodes, Time end) { available_->take_in(job, nodes, end); }
  /// Frees what hold_foreign() with the same values held, at that time or before.
  void release_foreign(const StartedJob& job, std::int32_t nodes, Time end) {
    available_->let_go(job, nodes, end);
    reservations_.freed_early = reservations_.freed_early || end > now_;
  }
  /// Returns whether a job of n nodes could run from now for d, beside all reservations but that of p.
  bool fits_beside(Position p, Duration d) { return counts_.fits_beside(ask(p), queue_.reserved(p), d); }
  /// Takes the node, on which nothing runs, down from now on; it is believed to be back at `until`. Reservations that
  /// do not fit any more are made again as for hold(). Returns what stands for the node and belongs to no job: hold()
  /// and bring_back() take it.
  StartedJob& take_down(NodeId node, Time until);
  /// Lets something hold what the job, which does not hold it any more, has of these nodes until then. Returns what
  /// does, and belongs to no job, as take_down(): one for each node, or one for all where jobs have parts of nodes.
  std::vector<StartedJob*> give_up(const StartedJob& job, const NodeRanges& nodes, Time until);
  /// Makes the nodes unavailable in [from, to): jobs that would be on them then do not fit. Reservations that collide
  /// with that are made again as for hold(). Precondition, as for all that is planned: where nodes are counted, these
  /// are all nodes, and closed to all jobs.
  void plan_outage(const NodeRanges& nodes, Time from, Time to);
  /// Reopens what plan_outage() with the same values closed.
  void forget_outage(const NodeRanges& nodes, Time from, Time to);
  /// Nodes that are closed in [from, to) to jobs with that access to reservations of nodes (NodeAvailability::close).
  struct KeptOff {
    NodeRanges nodes;
    Time from, to;
    std::int32_t access;
  };
  /// Opens what is over and closes what is to come, in one step. Reservations that collide with that are made again as
  /// for hold().
  void plan_kept_off(const std::vector<KeptOff>& over, const std::vector<KeptOff>& to_come);
  /// Notes that the reservation of nodes is known, whose windows plan_kept_off() closes.
  void know_reservation(std::int32_t reservation);
  /// Announces the reservation of nodes, on a heterogeneous machine (NodeAvailability::announce). Jobs' reservations
  /// that collide with it are made again as for hold().
  void announce_reservation(std::int32_t reservation);
  /// Forgets the reservation of nodes, whose last window is over.
  void forget_reservation(std::int32_t reservation);
  /// Lets a job that runs on lent nodes hold these itself from now on: their lender has just ended.
  void keep_lent(StartedJob& job, const NodeRanges& nodes);
  /// Brings the node back that was taken down: it is up again.
  void bring_back(StartedJob& down) { give_back(down, started_.down); }
  void advance(Time now) {
    version_ += now != now_;
    now_ = now;
    available_->advance(now);
  }
  /// Lets a job wait. `nodes` and `duration` are what it needs and is believed to need.
  void enqueue(JobIndex job, std::int32_t nodes, Duration duration, double key);
  /// Frees what the profile still holds of a started job, and forgets it.
  void finish(StartedJob& job) { give_back(job, started_.running); }
  /// Tidies the queue before a pass; reservations that came due and could not be started are made again.
  void before_pass();
  /// Asks for a pass when the next reservation is due. Throws SimulationError if starts take effect in this pass and a
  /// reservation for now was not started.
  void after_pass(bool starts_took_effect);

 private:
  StartedJob& new_holder(JobIndex index, const NodeRanges& nodes);
  void close(const KeptOff& k);
  void reopen(const KeptOff& k);
};

}  // namespace coslice

// What a scheduler may ask: the waiting queue, the started jobs, the ledger of what is free, and the clock of its view.
#pragma once

#include <map>
#include <set>
#include <string>

#include "availability/counted_availability.h"
#include "schedule/view_host.h"

namespace coslice {

class JobDemands;
class NodeAvailability;

class ViewQueries {
 public:
  using Position = WaitingQueue::Position;

  ViewQueries(const ViewQueries&) = delete;
  ViewQueries& operator=(const ViewQueries&) = delete;

  Time now() const { return now_; }
  /// Returns the instant of the simulation; the view's own clock may lag behind.
  Time wall_now() const { return clock_ != nullptr ? clock_->now() : now_; }
  /// Returns when so much of the view's own time will have passed, as far as can be predicted now.
  Time wall_time_after(Duration own_time) const {
    return clock_ != nullptr ? clock_->after(own_time) : later(now_, own_time);
  }
  const Job& job(JobIndex j) const { return jobs_[j]; }
  /// Returns what the scheduler believes that the job needs, in place of its limit; nothing: it has no estimate of its
  /// own.
  std::optional<Duration> own_estimate(JobIndex j) const {
    return estimates_.empty() || estimates_[j] == Duration{0} ? std::nullopt : std::optional(estimates_[j]);
  }
  /// Returns how long the job is believed to run: its limit, unless the scheduler has an estimate of its own.
  Duration estimate(JobIndex j) const { return own_estimate(j).value_or(jobs_[j].limit); }
  /// Returns how many nodes the job needs.
  std::int32_t nodes_of(JobIndex j) const { return host_.nodes_of(j); }
  /// Returns what a waiting job would have in a group; a node for each process where jobs share no nodes.
  SharingHost::InGroup in_group(JobIndex j) const {
    return sharing_ != nullptr ? sharing_->in_group(j) : SharingHost::InGroup{1, jobs_[j].size, -1};
  }
  /// Returns whether the started job may share its nodes with others from now on: it is in no group, is not to stop,
  /// and has no node that is to go.
  bool may_be_joined(const StartedJob& job) const {
    return job.group == nullptr && (sharing_ == nullptr || sharing_->may_be_joined(job));
  }
  /// Returns what its limit leaves the waiting job to do at rate 1: less than all where it goes on from a checkpoint.
  Duration limit_left(JobIndex j) const { return sharing_ != nullptr ? sharing_->limit_left(j) : jobs_[j].limit; }
  std::int32_t capacity() const { return counts_.profile().capacity(); }
  const WaitingQueue& queue() const {
    if (queue_.unsorted()) queue_.sort_now();
    return queue_;
  }
  /// Returns the queue as it stands, in order or not (WaitingQueue::allow_unsorted()).
  const WaitingQueue& queue_as_it_is() const { return queue_; }
  /// Returns whether an observer of the run is told of promises.
  bool promises_heard() const { return promises_heard_; }
  /// Returns the ledger, which says when jobs fit.
  Availability& available() const { return *available_; }
  /// Returns what is free over time. Precondition: available().by_count().
  const Profile& profile() const { return counts_.profile(); }
  /// Returns what the waiting job at p asks of the ledger; the queue need not be in order.
  Ask ask(Position p) const { return {queue_.job(p), queue_.nodes(p), queue_.duration(p), queue_.hold(p)}; }
  /// Returns what jobs ask for; null on a machine without kinds of nodes.
  const JobDemands* demands() const { return demands_; }
  /// Returns the first t >= after at which the waiting job at p could start, beside all reservations; kNever if there
  /// is none.
  Time earliest(Position p, Time after) const { return available_->earliest(ask(p), after); }
  /// Returns the first instant before its reservation at which the job at p could start instead; kNever if there is
  /// none.
  Time earlier(Position p) const { return available_->earlier(ask(p), queue_.reserved(p)); }
  /// Returns whether the waiting job at p could start at t, beside all reservations.
  bool fits_at(Position p, Time t) const { return available_->fits_at(ask(p), t); }
  /// Returns how many nodes can be had now: free by the ledger, where a job whose limit expires now counts as gone, and
  /// within what the host allows. On a heterogeneous machine: how many have no job.
  std::int32_t free_now() const { return available_->free_now(); }
  /// Returns the most nodes that a waiting job may need to fit now.
  std::int32_t most_nodes_now() const { return available_->most_free(); }
  /// Returns whether a waiting job needs no more nodes than could be taken now.
  bool has_room() const {
    const WaitingQueue& waiting = queue_as_it_is();
    return waiting.next_fitting(waiting.first(), most_nodes_now()) < waiting.end();
  }
  /// Returns how many nodes the host allows to be taken now, whatever the ledger says.
  std::int32_t ceiling() const { return available_->ceiling(); }
  /// Returns whether the waiting job at p could run now for as long as it is believed to, beside all reservations.
  bool fits_now(Position p) const {
    return queue_.reserved(p) == now_ ? available_->fits_reserved(ask(p)) : available_->fits_now(ask(p));
  }
  /// Returns what the waiting job at p, which cannot start, leaves to others.
  EasyHole hole(Position p) const { return available_->hole(ask(p)); }
  /// Returns whether a reservation may be for now.
  bool due_now() const { return reservations_.next_due <= now_; }
  /// Returns how many waiting jobs hold a reservation.
  std::size_t reserved_count() const { return reservations_.count; }
  /// Returns the started jobs in order of their starts.
  const StartedList& started() const { return started_.running; }
  /// Returns what stands for nodes that are down; the ledger holds them as it holds those of started jobs.
  const StartedList& down() const { return started_.down; }
  /// Returns a copy of the ledger without reservations, for a what-if: what started jobs hold.
  std::unique_ptr<Availability> without_reservations() const { return available_->without_reservations(started_); }
  /// Returns when the waiting job at p would end, in the view's time, if no job came and from now on every waiting job
  /// had a reservation in order of the queue, each at its earliest: conservative backfilling played forward.
  Time forecast(Position p) const;
  /// Returns a number that changes whenever the clock moves, a job comes, starts or ends, or what a job holds or has
  /// reserved changes.
  std::uint64_t version() const { return version_; }
  /// Returns whether the job waits in this view. Precondition: jobs share nodes.
  bool waits(JobIndex j) const { return j < arrivals_.waits.size() && arrivals_.waits[j] != 0; }
  /// Returns all jobs that have ever waited here, in the order in which they came; one that was interrupted has come
  /// again. Precondition: jobs share nodes.
  const std::vector<JobIndex>& arrivals() const { return arrivals_.in_order; }
  /// Returns the host, which is the same for all views of a simulation.
  const ViewHost& host() const { return host_; }
  /// Returns the sizes among which a moldable job may choose while it waits; null: it has one.
  const std::vector<JobSize>* sizes_of(JobIndex j) const { return host_.sizes_of(j); }
  /// Returns whether the elastic job, which runs, could have that size until its expected end beside all reservations.
  bool can_resize(const StartedJob& job, const JobSize& size) const;
  /// Returns whether the nodes are free now that the elastic job, which runs, gains with that size; where nodes differ,
  /// beside all reservations.
  bool can_gain(const StartedJob& job, const JobSize& size) const;
  /// Calls f(DecisionObserver&) for each observer of decisions.
  template <class F>
  void explain(F&& f) const {
    for (DecisionObserver* d : listeners_) f(*d);
  }
  /// Returns whether there is an observer of decisions.
  bool explained() const { return !listeners_.empty(); }
  /// Returns those waiting jobs of which their policy has said that nothing will ever let them start, and why.
  const std::map<JobIndex, std::string>& blocked() const { return blocked_; }
  /// Returns whether nodes became free earlier than expected since take_freed_early() was asked.
  bool freed_early() const { return reservations_.freed_early; }

 protected:
  /// Makes a view. `sharing` is null where jobs share no nodes, `clock` where the view's own clock is the wall clock.
  /// All references outlive it.
  ViewQueries(const std::vector<Job>& jobs, std::int32_t nodes, Time start, ViewHost& host,
              const std::vector<Observer*>& observers, SharingHost* sharing = nullptr, const WallClock* clock = nullptr)
      : jobs_(jobs), host_(host), observers_(observers), sharing_(sharing), clock_(clock), counts_(nodes, start),
        now_(start) {}
  ~ViewQueries() = default;

  const std::vector<Job>& jobs_;
  ViewHost& host_;
  const std::vector<Observer*>& observers_;
  SharingHost* sharing_;
  const WallClock* clock_;
  const JobDemands* demands_ = nullptr;
  CountedAvailability counts_;          ///< the ledger where one count of nodes is enough
  NodeAvailability* ledger_ = nullptr;  ///< where it is not
  Availability* available_ = &counts_;  ///< one of the two
  struct {
    JobIndex job = kNoJob;
    Time shadow = kNever;
  } shielded_;
  std::vector<DecisionObserver*> listeners_;
  bool promises_heard_ = false;
  std::vector<std::int32_t> tiers_;  ///< of the queue, by JobIndex; empty: there are none
  std::vector<Duration> estimates_;  ///< by JobIndex; 0: none; empty: none of any job
  std::map<JobIndex, std::string> blocked_;
  Time now_;
  mutable WaitingQueue queue_;  ///< in order whenever it is seen from outside
  StartedJobs started_;
  std::uint64_t decisions_ = 0;
  std::uint64_t version_ = 0, neutral_gains_ = 0;
  std::vector<JobIndex>* resized_waiting_ = nullptr;  ///< null: nobody is to know
  /// Where jobs share nodes.
  struct {
    std::vector<std::uint8_t> waits;  ///< by JobIndex
    std::vector<JobIndex> in_order;   ///< all that ever came
  } arrivals_;
  struct {
    std::size_t count = 0;
    Time next_due = kNever;     ///< none is for an earlier instant
    bool next_moved = false;    ///< the one that was for then is for another instant, or is none any more
    bool withdrawn = false;     ///< reservations stand in the queue, but not in the ledger
    bool late = false;          ///< some are for a past instant
    bool freed_early = false;   ///< nodes: some may move up
    bool moved_to_now = false;  ///< in this pass, not by its scheduler: another one is to follow
  } reservations_;
  std::set<Time> wakes_;  ///< passes asked for and still to come: the host remembers the next one only
};

/// Returns the host of a simulation under time slices or with groups on shared nodes; null without them.
inline const SlicedHost* sliced_host(const ViewQueries& view) { return view.host().slices(); }

}  // namespace coslice

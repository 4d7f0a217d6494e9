// A partition view: the part of the machine and of the jobs that one scheduler sees. It owns its waiting queue, its
// started jobs, its ledger of what is free and its clock; nothing in it means "the cluster" globally, so that several
// views can live beside one another and a view can be hosted by another scheduler.
#pragma once

#include <set>

#include "availability/node_count.h"
#include "core/error.h"
#include "schedule/observer.h"

namespace coslice {

class Contention;
class JobDemands;
class NodeAvailability;
struct JobSize;

/// How a running job is to stop.
struct StopOrder {
  enum class How : std::uint8_t {
    kRequeue,     ///< the job waits again; what it did since its last checkpoint is lost
    kCheckpoint,  ///< the job writes a checkpoint first, and waits again
    kCancel,      ///< for good
  } how = How::kRequeue;
  Duration grace{0};           ///< how much later the job stops; at least the checkpoint's cost
  FinalCheckpoint checkpoint;  ///< kCheckpoint
  JobIndex for_job = kNoJob;   ///< the job that this one makes way for; kNoJob: none
};

/// Carries out what a view decides, and answers questions about the machine.
class ViewHost {
 public:
  virtual ~ViewHost() = default;
  /// Starts the job, as the view decided. `order` ranks starts that take effect at the same instant.
  virtual void launch(StartedJob& job, std::uint64_t order) = 0;
  /// Requests a scheduling pass at t, even if nothing else happens then.
  virtual void wake_at(Time t) = 0;
  /// Returns how many nodes the job needs.
  virtual std::int32_t nodes_of(JobIndex job) const = 0;
  /// Returns whether a job that was interrupted waits as if it had been submitted then.
  virtual bool requeues_at_back() const = 0;
  /// Returns how often the job was interrupted so far.
  virtual std::int32_t interruptions(JobIndex job) const = 0;
  /// Stops the running job, which has its nodes, now or when its grace is over, if it has not ended by then. One that
  /// is requeued waits again when the pass is over, and another pass follows.
  virtual void stop(StartedJob& job, const StopOrder& order) = 0;
  /// Returns the nodes of a started job on which another one may run while it is suspended: all that it has; of a
  /// suspended job those that it has not lent; none of a job that runs on lent nodes, or is to stop. Throws
  /// SimulationError where jobs cannot be suspended.
  virtual NodeRanges lendable(const StartedJob& job) const = 0;
  /// Starts the job on nodes that these lend it and on idle ones, as the view decided. Each lender is suspended until
  /// all jobs have ended to which it has lent nodes.
  virtual void launch_over(StartedJob& job, const std::vector<StartedJob*>& lenders) = 0;
  /// Lets the job, which has just left its queue, wait outside of it until release(); it is believed to need so much
  /// time.
  virtual void set_aside(JobIndex job, Duration planned) = 0;
  /// Puts the job that was set aside back into the queue when the pass is over; another pass follows.
  virtual void release(JobIndex job) = 0;
  /// Returns whether the job was set aside and not released yet.
  virtual bool is_aside(JobIndex job) const = 0;
  /// Rejects the job, which has just left its queue: it will never run.
  virtual void refuse(JobIndex job, Rejection why) = 0;
  /// Returns the sizes among which a moldable job may choose while it waits; null: it has one.
  virtual const std::vector<JobSize>* sizes_of(JobIndex job) const = 0;
  /// Gives the waiting job the i-th of its sizes. Returns for how long it is believed to run then.
  virtual Duration mold(JobIndex job, std::size_t i) = 0;
  /// Lets the waiting job ask for an instance of so many parts (`slice`) of a GPU of that kind from now on; 0: for what
  /// it asked at first. Returns for how long it is believed to run then; nothing if it cannot have such an instance.
  /// Throws SimulationError where GPUs are not divided.
  virtual std::optional<Duration> take_gpu_instance(JobIndex job, std::int32_t kind, std::int32_t slice) = 0;
  /// Returns how many nodes are powered down.
  virtual std::int32_t nodes_off() const = 0;
  /// Returns how jobs interfere that share nodes of a heterogeneous machine; null: they do not.
  virtual const Contention* contention() const = 0;
  /// Returns what may be asked where jobs have time slices or form groups on shared nodes; null: they do not.
  virtual const class SlicedHost* slices() const = 0;
};

/// The wall clock of a view whose own clock does not always run.
class WallClock {
 public:
  virtual ~WallClock() = default;
  virtual Time now() const = 0;
  /// Returns when so much of the view's own time will have passed, as far as can be predicted now.
  virtual Time after(Duration own_time) const = 0;
};

/// Lets the jobs of a view share nodes.
class SharingHost {
 public:
  virtual ~SharingHost() = default;
  /// What a waiting job would have in a group.
  struct InGroup {
    std::int32_t ppn = 1;  ///< processes per node
    std::int32_t nodes = 1;
    std::int32_t demand = -1;  ///< into JobDemands::demands(); -1 where nodes are counted
  };
  virtual InGroup in_group(JobIndex job) const = 0;
  /// Returns whether others may be laid over the job, which runs for itself: it is not to stop, and none of its nodes
  /// is to go.
  virtual bool may_be_joined(const StartedJob& job) const = 0;
  /// Returns what its limit leaves the waiting job to do at rate 1: less than all where it goes on from a checkpoint.
  virtual Duration limit_left(JobIndex job) const = 0;
  /// Counts a search for jobs to lay over a primary one, which found that many candidates.
  virtual void count_attempt(std::size_t candidates) = 0;
  /// Notes the response time that the job is to keep.
  virtual void bound_response(JobIndex job, Duration bound) = 0;
  /// Gives the waiting job at p `ppn` processes per node if it gets nodes of its own, as the view decided. The host
  /// says how many nodes and how much time that takes (View::resize). Throws SimulationError if that cannot be.
  virtual void set_ppn_alone(View& view, WaitingQueue::Position p, std::int32_t ppn) = 0;
  /// Lets these jobs share nodes, as the view decided: those without nodes start, the others run on. The host holds
  /// nodes for all of them. `time`: until the last one has ended, as the view expects. Throws SimulationError if there
  /// are no such nodes.
  virtual void launch_group(StartedJob& primary, const std::vector<StartedJob*>& matched, double gain,
                            Duration time) = 0;
  /// Lets the group go on with its primary alone, as the view decided: its only matched job, which lies wholly over the
  /// primary's nodes, stops and goes on when the primary has ended.
  virtual void separate(Group& group) = 0;
};

class View {
 public:
  using Position = WaitingQueue::Position;

  /// Makes a view. `sharing` is null where jobs share no nodes, `clock` where the view's own clock is the wall clock.
  /// All references outlive it.
  View(const std::vector<Job>& jobs, std::int32_t nodes, Time start, ViewHost& host,
       const std::vector<Observer*>& observers, SharingHost* sharing = nullptr, const WallClock* clock = nullptr)
      : jobs_(jobs), host_(host), observers_(observers), sharing_(sharing), clock_(clock), counts_(nodes, start),
        now_(start) {}
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  // --- what a scheduler may ask
  Time now() const { return now_; }
  /// Returns the instant of the simulation; the view's own clock may lag behind.
  Time wall_now() const { return clock_ != nullptr ? clock_->now() : now_; }
  /// Returns when so much of the view's own time will have passed, as far as can be predicted now.
  Time wall_time_after(Duration own_time) const {
    return clock_ != nullptr ? clock_->after(own_time) : later(now_, own_time);
  }
  const Job& job(JobIndex j) const { return jobs_[j]; }
  /// Returns how long the job is believed to run: its limit, unless the scheduler has an estimate of its own.
  Duration estimate(JobIndex j) const { return estimates_.empty() ? jobs_[j].limit : estimates_[j]; }
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
    if (queue_.unsettled()) queue_.settle();
    return queue_;
  }
  /// Returns the queue as it stands, in order or not (WaitingQueue::loosen()).
  WaitingQueue& loose_queue() { return queue_; }
  const WaitingQueue& loose_queue() const { return queue_; }
  /// Returns whether an observer of the run is told of promises.
  bool promises_heard() const { return promises_heard_; }
  /// Returns the ledger, which says when jobs fit.
  Availability& available() const { return *available_; }
  /// Returns what is free over time. REQUIRES: available().by_count().
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
    const WaitingQueue& waiting = loose_queue();
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
  /// Returns whether the job waits in this view. REQUIRES: jobs share nodes.
  bool waits(JobIndex j) const { return j < arrivals_.waits.size() && arrivals_.waits[j] != 0; }
  /// Returns all jobs that have ever waited here, in the order in which they came; one that was interrupted has come
  /// again. REQUIRES: jobs share nodes.
  const std::vector<JobIndex>& arrivals() const { return arrivals_.in_order; }
  /// Returns the host, which is the same for all views of a simulation.
  const ViewHost& host() const { return host_; }
  /// Returns the sizes among which a moldable job may choose while it waits; null: it has one.
  const std::vector<JobSize>* sizes_of(JobIndex j) const { return host_.sizes_of(j); }
  /// Calls f(DecisionObserver&) for each observer of decisions.
  template <class F>
  void explain(F&& f) const {
    for (DecisionObserver* d : listeners_) f(*d);
  }
  /// Returns whether there is an observer of decisions.
  bool explained() const { return !listeners_.empty(); }

  // --- what a scheduler may do
  /// Starts the waiting job at p now: it leaves the queue, the profile holds its nodes. If it has a reservation, that
  /// must be for now. Otherwise its nodes must be free for its whole duration.
  void start(Position p, StartReason reason);
  /// Lets jobs share nodes from now on: a primary job, and others on nodes of its own. Some of them may run already,
  /// each for itself; the others wait, and start now. Reservations that do not fit any more are put back at their
  /// earliest, in order of (reserved start, queue). `time`: until the last of them has ended. The host must have the
  /// nodes (Availability::place_group). Throws SimulationError where jobs share no nodes.
  void start_group(JobIndex primary, const std::vector<JobIndex>& matched, double gain, Duration time,
                   StartReason reason);
  /// Gives the waiting job at p that number of processes on each of its nodes, from now on, where it does not share
  /// them. A reservation is made anew, at its earliest. Throws SimulationError where jobs share no nodes.
  void set_ppn_alone(Position p, std::int32_t ppn) {
    if (sharing_ == nullptr)
      throw SimulationError("processes per node are the policy's only where it says how nodes are shared (sharing)");
    sharing_->set_ppn_alone(*this, p, ppn);
  }
  /// Gives the waiting, moldable job at p the i-th of its sizes, from now on. A reservation is made anew, at its
  /// earliest.
  void set_size(Position p, std::size_t i) {
    const Duration d = host_.mold(queue_.job(p), i);
    resize(p, host_.nodes_of(queue_.job(p)), d);
  }
  /// Lets the waiting job at p ask for a slice of so many parts of a GPU of that kind, from now on; 0: for what it
  /// asked at first. False if it cannot have such a slice. It must have no reservation.
  bool set_gpu_instance(Position p, std::int32_t kind, std::int32_t slice) {
    const std::optional<Duration> d = host_.take_gpu_instance(queue_.job(p), kind, slice);
    if (d) resize(p, host_.nodes_of(queue_.job(p)), *d);
    return d.has_value();
  }
  /// What is known of a waiting job from the last time that another number was tried.
  struct TriedPpn {
    std::int32_t nodes = 0;
    Duration duration{};
    std::uint64_t gains = std::numeric_limits<std::uint64_t>::max();  ///< of the view; that time it kept its place
  };
  /// Gives the waiting job at p `first` processes per node and then `then`, which it has now, where it cannot start
  /// with `first`: its reservation is made anew, most often where it was. `last` saves that work if it tells that the
  /// reservation would be the same.
  void try_ppn_alone(Position p, std::int32_t first, std::int32_t then, TriedPpn& last);
  /// Returns a number; while it stays the same, at no instant is more free by the ledger than before.
  std::uint64_t gains() const { return available_->gains() - neutral_gains_; }
  /// Notes that a reservation is not at its earliest: as if nodes had been given back.
  void reserved_late() { --neutral_gains_; }
  /// Shields the waiting job at p for the rest of this pass, or until something is reserved: no job passes it that
  /// would delay it (Availability::next_passing); on a heterogeneous machine, none starts. Returns when the shielded
  /// job can start. Precondition: there are no reservations.
  Time shield(Position p);
  void unshield() {
    if (shielded_.job != kNoJob) available_->unshield();
    shielded_.job = kNoJob;
  }
  /// Notes a search for jobs to lay over a primary one, which found that many candidates.
  void count_attempt(std::size_t candidates) {
    if (sharing_ != nullptr) sharing_->count_attempt(candidates);
  }
  /// Notes what response time the job is to keep. It changes nothing but what is reported.
  void bound_response(JobIndex j, Duration bound) {
    if (sharing_ != nullptr) sharing_->bound_response(j, bound);
  }
  /// Starts the waiting job now on nodes that no started job holds; reservations for which that leaves no room are put
  /// back as for hold(). Returns false, and changes nothing, if there are not enough such nodes.
  bool start_first(Position p, StartReason reason);
  /// Starts the waiting job now on nodes that these started jobs lend it, and on idle ones, whatever is reserved; they
  /// are suspended until it has ended. Reservations for which that leaves no room are put back as for hold().
  /// Precondition: choose_lenders() chose them.
  void start_over(Position p, const std::vector<StartedJob*>& lenders, StartReason reason);
  /// Lets the waiting job at p wait outside of the queue until it is released (ViewHost::release).
  void set_aside(Position p);
  void release(JobIndex j) { host_.release(j); }
  /// Stops a started job (ViewHost::stop).
  void stop(StartedJob& job, const StopOrder& order) { host_.stop(job, order); }
  /// Rejects the waiting job at p: it will never run.
  void refuse(Position p, Rejection why = Rejection::kPolicy) {
    const JobIndex j = queue_.job(p);
    drop(p);
    host_.refuse(j, why);
  }
  /// Returns the started job of that number; null if there is none.
  StartedJob* find_started(JobIndex j) {
    StartedList& all = started_.running;
    const auto found = std::find_if(all.rbegin(), all.rend(),
                                    [j](const StartedJob& job) { return job.index == j; });  // most often the last
    return found == all.rend() ? nullptr : &*found;
  }
  /// Takes a pair apart: the job that lies over the nodes of the other, and needs no others, stops and goes on there
  /// when the other has ended. Reservations that do not fit any more are put back as for start_group.
  void separate(Group& group);
  /// Reserves `start` for the waiting job at p; replaces an earlier reservation. Precondition: the ledger has room.
  void reserve(Position p, Time start, ReservationKeeps keeps = ReservationKeeps::kAskedFor);
  /// Tells observers that the waiting job at p will start no later than `start`, without holding nodes for it.
  void promise(Position p, Time start) {
    for (Observer* o : observers_) o->reserved(now_, queue_.job(p), start);
  }
  /// Takes the reservation back.
  void unreserve(Position p);
  /// Returns the waiting jobs whose reservations are for now, in the order in which these were made.
  std::vector<Position> due();
  /// Lets the reservations of due() that cannot be started now, because the host allows less than the ledger, be made
  /// anew before the next pass.
  void leave_late() { reservations_.late = true; }
  /// Returns whether there are such.
  bool has_late() const { return reservations_.late; }
  /// Asks for a pass at t; each time asked for is kept. Past instants mean now. Reservations ask by themselves.
  void wake_at(Time t) {
    if (t == kNever) return;
    wakes_.insert(std::max(t, now_));
    host_.wake_at(std::max(t, now_));
  }
  /// Gives every waiting job a new key and sorts the queue. Positions change.
  template <class F>
  void resort(F&& key_of) {
    queue_.resort(key_of);
  }
  /// Returns whether a job ended before the profile expected it since this was asked last.
  bool take_freed_early() { return std::exchange(reservations_.freed_early, false); }

  // --- what the host does
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
  /// Sets what estimate() says from now on.
  void believe(JobIndex j, Duration estimate);
  /// Allows at most n nodes to be taken now (0: the view is closed, nothing may start).
  void set_ceiling(std::int32_t n) { available_->set_ceiling(n); }
  /// Takes the waiting job at p out of the queue without asking its scheduler; it holds no nodes. A reservation of its
  /// own is given back.
  StartedJob& admit(Position p);
  /// Changes until when the profile holds a started job's nodes, and how many of them. Where that collides with
  /// reservations, all of them are taken out and put back at their earliest, in order of (reserved start, queue): then
  /// they may move later.
  void hold(StartedJob& job, std::int32_t nodes, Time end);
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
  /// do not fit any more are made anew as for hold(). Returns what stands for the node and belongs to no job: hold()
  /// and bring_back() take it.
  StartedJob& take_down(NodeId node, Time until);
  /// Makes the nodes unavailable in [from, to), on a heterogeneous machine: jobs that would be on them then do not fit.
  /// Reservations that collide with that are made anew as for hold().
  void plan_outage(const NodeRanges& nodes, Time from, Time to);
  /// Reopens what plan_outage() with the same values closed.
  void forget_outage(const NodeRanges& nodes, Time from, Time to);
  /// Nodes that are closed in [from, to) to jobs with that access to reservations of nodes (NodeAvailability::close).
  struct KeptOff {
    NodeRanges nodes;
    Time from, to;
    std::int32_t access;
  };
  /// Opens what is over and closes what is to come, in one step. Reservations that collide with that are made anew as
  /// for hold().
  void plan_kept_off(const std::vector<KeptOff>& over, const std::vector<KeptOff>& to_come);
  /// Announces the reservation of nodes, on a heterogeneous machine (NodeAvailability::announce). Jobs' reservations
  /// that collide with it are made anew as for hold().
  void announce_reservation(std::int32_t reservation);
  /// Forgets the reservation of nodes, whose last window is over.
  void forget_reservation(std::int32_t reservation);
  /// Lets a job that runs on lent nodes hold these itself from now on: their lender has just ended.
  void keep_lent(StartedJob& job, const NodeRanges& nodes);
  /// Brings the node back that was taken down: it is up again.
  void bring_back(StartedJob& down) { give_back(down, started_.down); }
  /// Returns whether nodes became free earlier than expected since take_freed_early() was asked.
  bool freed_early() const { return reservations_.freed_early; }
  void advance(Time now) {
    version_ += now != now_;
    now_ = now;
    available_->advance(now);
  }
  /// Changes what the waiting job at p needs from now on.
  void resize(Position p, std::int32_t nodes, Duration duration);
  /// Removes the waiting job at p from the queue for good; a reservation of its own is given back.
  void drop(Position p) {
    unreserve(p);
    left_queue(queue_.job(p));
    queue_.take(p);
  }
  /// Lets a job wait. `nodes` and `duration` are what it needs and is believed to need.
  void enqueue(JobIndex job, std::int32_t nodes, Duration duration, double key);
  /// Frees what the profile still holds of a started job, and forgets it.
  void finish(StartedJob& job) { give_back(job, started_.running); }
  /// Tidies the queue before a pass; reservations that came due and could not be started are made anew.
  void before_pass();
  /// Asks for a pass when the next reservation is due. Throws SimulationError if starts take effect in this pass and a
  /// reservation for now was not started.
  void after_pass(bool starts_took_effect);

 private:
  SharingHost& sharing_host() const {
    if (sharing_ == nullptr) throw SimulationError("jobs can share nodes only where the policy says how (sharing)");
    return *sharing_;
  }
  StartedJob& new_started(Position p);
  void give_back(StartedJob& job, StartedList& list);
  void left_queue(JobIndex j) {
    ++version_;
    if (j < arrivals_.waits.size()) arrivals_.waits[j] = 0;
  }
  template <class F>
  void without_reserved(F&& f);
  template <class F>
  void beside_group(F&& f);
  void withdraw_reservations();
  void put_reservations_back();
  void replace_late();

  const std::vector<Job>& jobs_;
  ViewHost& host_;
  const std::vector<Observer*>& observers_;
  SharingHost* sharing_;
  const WallClock* clock_;
  const JobDemands* demands_ = nullptr;
  NodeCount counts_;                    ///< the ledger where one count of nodes is enough
  NodeAvailability* ledger_ = nullptr;  ///< where it is not
  Availability* available_ = &counts_;  ///< one of the two
  struct {
    JobIndex job = kNoJob;
    Time shadow = kNever;
  } shielded_;
  std::vector<DecisionObserver*> listeners_;
  bool promises_heard_ = false;
  std::vector<std::int32_t> tiers_;  ///< of the queue, by JobIndex; empty: there are none
  std::vector<Duration> estimates_;  ///< by JobIndex; empty while all are the limits
  Time now_;
  mutable WaitingQueue queue_;  ///< in order whenever it is seen from outside
  StartedJobs started_;
  std::uint64_t decisions_ = 0;
  std::uint64_t version_ = 0, neutral_gains_ = 0;
  /// Where jobs share nodes.
  struct {
    std::vector<std::uint8_t> waits;  ///< by JobIndex
    std::vector<JobIndex> in_order;   ///< all that ever came
  } arrivals_;
  struct {
    std::size_t count = 0;
    Time next_due = kNever;    ///< none is for an earlier instant
    bool withdrawn = false;    ///< reservations stand in the queue, but not in the ledger
    bool late = false;         ///< some are for a past instant
    bool freed_early = false;  ///< nodes: some may move up
  } reservations_;
  std::set<Time> wakes_;  ///< passes asked for and still to come: the host remembers the next one only
};

/// What may be asked of a simulation under time slices, beside what every host of a view answers.
class SlicedHost : public ViewHost {
 public:
  /// Returns the class of the job, by number.
  virtual std::size_t class_of(JobIndex j) const = 0;
  /// Returns the class whose jobs the view has, by number.
  virtual std::size_t class_of(const View& view) const = 0;
  /// Returns whether the slice is one of the view's class.
  virtual bool is_open(const View& view) const = 0;
  /// Returns what the started job has done since its start, in all slices together, at rate 1.
  virtual Duration done(const StartedJob& job) const = 0;
  /// What jobs leave that stop together.
  struct Freed {
    std::int64_t nodes = 0;  ///< on which others could start
    std::int64_t held = 0;   ///< how many of these the ledger of their class holds now
  };
  /// Returns what these running jobs leave if all of them stop now and others of their groups go on.
  virtual Freed freed_by(const std::vector<StartedJob*>& jobs) const = 0;
};

/// Returns the host of a simulation under time slices or with groups on shared nodes; null without them.
inline const SlicedHost* sliced_host(const View& view) { return view.host().slices(); }

}  // namespace coslice

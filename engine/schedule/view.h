// A partition view: the part of the machine and of the jobs that one scheduler sees. It owns its waiting queue, its
// started jobs, its ledger of what is free and its clock; nothing in it means "the cluster" globally, so that several
// views can live beside one another and a view can be hosted by another scheduler. What is asked of it, what a
// scheduler does and what its host does are three classes, each on top of the one before (view_queries.h,
// hosted_view.h).
#pragma once

#include <exception>

#include "schedule/view_queries.h"

namespace coslice {

/// What a scheduler may do, beside what it may ask.
class View : public ViewQueries {
 public:
  /// Returns the queue as it stands, in order or not (WaitingQueue::allow_unsorted()).
  using ViewQueries::queue_as_it_is;
  WaitingQueue& queue_as_it_is() { return queue_; }
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
  /// them. A reservation is made again, at its earliest. Throws SimulationError where jobs share no nodes.
  void set_ppn_alone(Position p, std::int32_t ppn) {
    if (sharing_ == nullptr)
      throw SimulationError("processes per node are the policy's only where it says how nodes are shared (sharing)");
    sharing_->set_ppn_alone(*this, p, ppn);
  }
  /// From now on adds to `jobs`, which outlives the view, each waiting job that gets another number of nodes or another
  /// duration.
  void tell_resized(std::vector<JobIndex>& jobs) { resized_waiting_ = &jobs; }
  /// Gives the waiting, moldable job at p the i-th of its sizes, from now on. A reservation is made again, at its
  /// earliest.
  void set_size(Position p, std::size_t i) {
    const Duration d = host_.mold(queue_.job(p), i);
    resize(p, host_.nodes_of(queue_.job(p)), d);
  }
  /// Lets the elastic job, which runs, have the i-th of its sizes from its next point on. What it gains is free now.
  /// Returns whether it has that size now. Reservations for which that leaves no room are put back as for hold().
  bool resize_started(StartedJob& job, std::size_t i) {
    ++version_;
    unshield();
    return host_.resize(job, i);
  }
  /// Lets the waiting job at p ask for a slice of `slice` parts of a GPU of that kind, from now on; 0: for what it
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
  /// with `first`: its reservation is made again, most often where it was. `last` saves that work if it tells that the
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
  /// Suspends a started job on its nodes, until it may go on (ViewHost::suspend, ViewHost::go_on).
  void suspend(StartedJob& job) { host_.suspend(job); }
  void go_on(StartedJob& job) { host_.go_on(job); }
  /// Notes why nothing will ever let the waiting job at p start, as far as the policy knows. It goes on to wait, and
  /// the run does not go on for its sake.
  void block(Position p, std::string why) { blocked_.insert_or_assign(queue_.job(p), std::move(why)); }
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
  /// again before the next pass.
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
  /// Removes the waiting job at p from the queue for good; a reservation of its own is given back.
  void drop(Position p) {
    unreserve(p);
    left_queue(queue_.job(p));
    queue_.take(p);
  }
  /// Changes what the waiting job at p needs from now on.
  void resize(Position p, std::int32_t nodes, Duration duration);

 protected:
  using ViewQueries::ViewQueries;
  ~View() = default;

  SharingHost& sharing_host() const {
    if (sharing_ == nullptr) throw SimulationError("jobs can share nodes only where the policy says how (sharing)");
    return *sharing_;
  }
  StartedJob& new_started(Position p);
  void give_back(StartedJob& job, StartedList& list);
  void left_queue(JobIndex j) {
    ++version_;
    if (!blocked_.empty()) blocked_.erase(j);
    if (j < arrivals_.waits.size()) arrivals_.waits[j] = 0;
  }
  /// Calls f while the ledger holds no reservation; then reservations are made again, which may be later than before.
  /// Also where f throws: a policy may go on after it.
  template <class F>
  void without_reserved(F&& f) {
    withdraw_reservations();
    reservations_.withdrawn = true;
    std::exception_ptr problem;
    try {
      f();
    } catch (...) {
      problem = std::current_exception();
    }
    reservations_.withdrawn = false;
    put_reservations_back();
    if (problem) std::rethrow_exception(problem);
  }
  template <class F>
  void beside_group(F&& f);
  void withdraw_reservations();
  void put_reservations_back();
  void replace_late();
};

}  // namespace coslice

// The ledger of what is free, now and at each instant to come: what started jobs hold until their expected ends, and
// the reservations of waiting jobs. Schedulers, plans, forecasts and what-ifs ask it, and nothing else.
//
// It has three forms, the simplest that the machine and its jobs allow:
//  - CountedAvailability: one count of nodes over time, where no job distinguishes one node from another;
//  - WholeNodeAvailability: such a count for each set of nodes that jobs distinguish, and for each licence that can run
// out;
//  - SharedNodeAvailability: what is left on each node over time, where jobs have parts of nodes.
#pragma once

#include <memory>
#include <vector>

#include "jobs/waiting_queue.h"
#include "machine/node_room.h"
#include "machine/node_set.h"

namespace coslice {

struct StartedJob;
class StartedJobs;
struct StartDirective;

/// The subject of a question to the ledger: a job that is to have its nodes for `duration`. `nodes` is what the queue
/// says that it needs (WaitingQueue::nodes).
struct Ask {
  JobIndex job = kNoJob;
  std::int32_t nodes = 0;
  Duration duration{};
  HoldId hold = kNoHold;  ///< of its reservation, if it has one
};

/// How many nodes are free from an instant on.
struct FreeFrom {
  Time at;
  std::int32_t nodes;
};

/// Jobs that are to share nodes as a group (sharing/sharing.h), the primary first.
struct GroupAsk {
  struct Member {
    JobIndex job = kNoJob;
    std::int32_t demand = -1;             ///< into JobDemands::demands()
    const StartedJob* running = nullptr;  ///< null: it waits
  };
  std::vector<Member> members;
  std::int32_t fresh = 0;  ///< nodes at most on which none of them runs yet
  Duration time{};         ///< until the last one has ended
};

/// What a job has of its nodes, and as which unit of its demand (JobDemands).
struct JobAllocation {
  std::int32_t unit = -1;
  Parts parts;
};

/// What is free now and later; see the head of this file.
class Availability {
 public:
  using Position = WaitingQueue::Position;

  explicit Availability(Time start) : now_(start) {}
  virtual ~Availability() = default;

  Time now() const { return now_; }
  /// Moves the clock to `now`.
  virtual void advance(Time now) = 0;
  /// Allows at most n nodes to be taken now; 0: no job fits now. earliest() and reservations do not look at that.
  void set_ceiling(std::int32_t n) { ceiling_ = n; }
  std::int32_t ceiling() const { return ceiling_; }
  /// Returns a number that changes with every start, end and reservation.
  std::uint64_t changes() const { return changes_; }
  /// Returns a number that changes whenever more may be free at some instant than before.
  virtual std::uint64_t gains() const { return changes_; }

  /// Returns whether numbers of free nodes say which jobs fit beside started ones: no job distinguishes one node from
  /// another.
  virtual bool by_count() const { return false; }
  /// Returns whether, before the waiting job could have ended that starts as early as it can, what is free may become
  /// less without a reservation: nodes will be unavailable for a time.
  virtual bool may_fall(const Ask& /*a*/) { return false; }

  /// Returns whether the reservation of nodes, by its number, is known.
  virtual bool in_effect(std::int32_t /*reservation*/) const { return false; }

  /// Returns whether all nodes are planned to be down for a time. Only where by_count().
  virtual bool closes() const { return false; }

  // --- now
  /// Returns how many nodes have no job, within the ceiling.
  virtual std::int32_t free_now() const = 0;
  /// Returns the most nodes that a job may need to fit now.
  virtual std::int32_t most_free() const = 0;
  /// Returns whether the waiting job, which has no reservation, could start now beside all others.
  virtual bool fits_now(const Ask& a) = 0;
  /// Returns whether the waiting job that is reserved for now could start.
  virtual bool fits_reserved(const Ask& /*a*/) { return ceiling_ > 0; }
  /// Returns whether the waiting job could start now if its placement accepted any nodes: a placement may decline them.
  virtual bool has_room_now(const Ask& a) { return fits_now(a); }
  /// Returns the first entry of the queue in [from, stop) that could start now beside all reservations without delaying
  /// the shielded job; `stop` or later if there is none.
  virtual Position next_passing(const WaitingQueue& queue, Position from, Position stop) = 0;

  /// Returns whether direct() may be called: where nodes are chosen one by one, by the placement alone.
  virtual bool directs() const { return false; }
  /// Restricts fits_now() and start() of jobs without reservations to the nodes and GPUs that `directive` allows, until
  /// the next start() or direct(nullptr). The placement chooses among them only where StartDirective::by_placement().
  /// `directive` outlives that. Precondition: directs().
  void direct(const StartDirective* directive) { directive_ = directive; }

  // --- later
  /// Returns whether what is free never becomes less, as nothing is reserved and nothing will close: where a job could
  /// start, it could also start later, and with fewer nodes of the same.
  virtual bool never_falls() const { return false; }
  /// Where one count of nodes says what is free, and never falls, as there are no reservations and nothing will close:
  /// sets `out` to the present and all instants at which more nodes come free, and returns true.
  virtual bool only_comes_free(std::vector<FreeFrom>& /*out*/) const { return false; }
  /// Returns the first t >= after at which the job could start, beside all reservations; kNever if there is none.
  /// Precondition: the job has no reservation.
  virtual Time earliest(const Ask& a, Time after) = 0;
  /// Returns whether the job could start at t, beside all reservations. Precondition: as for earliest().
  virtual bool fits_at(const Ask& a, Time t) = 0;
  /// Returns the first instant from now on, before `old`, at which a job that is reserved for `old` could start; kNever
  /// if there is none. The job's reservation stays. A walk along the queue asks this of many jobs, between begin_walk()
  /// and end_walk(); what is reserved in between is reserved at its earliest.
  virtual Time earlier(const Ask& a, Time old) = 0;
  struct Earlier {
    Position at;  ///< an entry of the queue, or its end
    Time start;
  };
  /// Returns the first entry of the queue from `from` on that is reserved for later and could start before that; the
  /// end of the queue if there is none.
  virtual Earlier next_earlier(const WaitingQueue& queue, Position from) { return first_earlier(*this, queue, from); }
  /// Begins (ends) a walk along the queue, between whose calls earlier() is asked.
  virtual void begin_walk() {}
  virtual void end_walk() {}

  /// Returns whether the jobs could run as a group from now on, whatever is reserved for waiting jobs. `out`: where
  /// each of them would be, where nodes are distinguished; else empty.
  virtual bool place_group(const GroupAsk& ask, std::vector<JobAllocation>& out) {
    out.clear();
    return ask.fresh <= ceiling_;
  }

  // --- reservations
  /// Holds for the job what it asks for, from t on; later questions about it name that hold. Precondition: fits_at(a,
  /// t).
  virtual HoldId reserve(const Ask& a, Time t, ReservationKeeps keeps) = 0;
  /// Releases the reservation of the job, which begins at t.
  virtual void unreserve(const Ask& a, Time t) = 0;
  /// Moves the job's reservation from `old` to t. Returns the new hold. Precondition: the job fits at t.
  virtual HoldId move(const Ask& a, Time old, Time t, ReservationKeeps keeps) {
    unreserve(a, old);
    return reserve(a, t, keeps);
  }

  /// Returns the nodes that the job's reservation names; none where reservations are counts of nodes.
  virtual NodeRanges reserved_nodes(JobIndex) const { return {}; }
  /// Sets whether later reservations prefer nodes on which jobs run now.
  void prefer_busy(bool busy) { prefer_busy_ = busy; }
  /// Returns a copy of the ledger that holds no reservations, for a what-if. `jobs` are those that have started.
  virtual std::unique_ptr<Availability> without_reservations(const StartedJobs& jobs) const = 0;

  // --- the shielded job
  /// Shields the waiting job, which is to start as early as it can beside what runs now: until unshield(),
  /// next_passing() returns no job that would delay it. Returns when the job starts; kNever if it never can.
  virtual Time shield(const Ask& a) = 0;
  /// Ends what shield() began.
  virtual void unshield() = 0;
  /// Returns how many nodes the shielded job leaves when it starts, where one count says that; else 0.
  virtual std::int32_t spare_beside_shield() const { return 0; }
  /// Returns what the waiting job would leave to others if only it were to start. Where nodes are not counted, it
  /// leaves nothing.
  virtual EasyHole hole(const Ask& a) {
    const Time t = earliest(a, now_);
    return {t, 0, t - now_};
  }
  /// Returns whether the shielded job would leave more to some other job if it were shielded again, now that others
  /// have started beside it: then a job that did not fit may fit in the next pass, although nothing has ended.
  /// Precondition: a job is shielded.
  virtual bool would_leave_more() const { return false; }

  // --- started jobs
  /// Starts the job: on what was reserved for it for now (job.hold), or where it fits now. Its resources are held until
  /// job.expected_end.
  virtual void start(StartedJob& job, bool reserved) = 0;
  /// Returns whether the job could hold what it has until `end`, after job.expected_end, beside all reservations.
  virtual bool room_to_hold(const StartedJob& job, Time end) const = 0;
  /// Returns whether the job could hold that number of nodes until `end` beside all reservations.
  virtual bool room_to_resize(const StartedJob& job, std::int32_t nodes, Time end) = 0;
  /// Returns whether the job could have that number of nodes, which is more than it has (StartedJob::node_count): its
  /// own, those that are kept for it, and nodes that are free now; where nodes differ, until `end` beside all
  /// reservations.
  virtual bool has_more(const StartedJob& job, std::int32_t nodes, Time end) = 0;
  /// Holds what the job has until `end`, which may be earlier than job.expected_end. Precondition: room_to_hold(job,
  /// end), or there are no reservations.
  virtual void hold(const StartedJob& job, Time end) = 0;
  /// Frees what the job held until job.expected_end: it ends.
  virtual void finish(StartedJob& job) = 0;
  /// Returns whether the waiting job could start now without these jobs; where nodes are counted, on at most
  /// `allowed`, and on `held` more than are free. Precondition: there are no reservations.
  virtual bool fits_without(const Ask& a, const std::vector<StartedJob*>& jobs, std::int64_t held,
                            std::int64_t allowed) const = 0;
  /// Counts that many nodes as taken by a job of another view until `end`, which may have passed.
  virtual void take_in(const StartedJob& job, std::int32_t nodes, Time end) = 0;
  /// Ends what take_in() began. Precondition: take_in() was called with the same values.
  virtual void let_go(const StartedJob& job, std::int32_t nodes, Time end) = 0;
  /// Takes a node down from now until down.expected_end, which is now; `down.nodes` is the node. Jobs on it stay until
  /// they finish. hold(), room_to_hold() and finish() take `down` as they take jobs.
  virtual void take_down(StartedJob& /*down*/) {}

  // --- nodes that started jobs lend to others, which run there while those are suspended
  /// Returns whether the job could start now on `lent` nodes and on idle ones, beside what started jobs hold.
  /// Precondition: there are no reservations.
  virtual bool fits_over(const Ask& /*a*/, const NodeRanges& /*lent*/) const { return false; }
  /// Starts the job on lent nodes and on idle ones, idle ones first; job.held says how many it holds. Lent nodes stay
  /// held by their lenders.
  virtual void start_over(StartedJob& job, const NodeRanges& lent) = 0;

 protected:
  /// Implements next_earlier() by the earlier() of a ledger whose type is known, which costs no virtual call.
  template <class Ledger>
  static Earlier first_earlier(Ledger& ledger, const WaitingQueue& queue, Position from) {
    for (Position p = from; p < queue.end(); ++p) {
      const Time old = queue.reserved(p);
      if (old == kNever || old <= ledger.now_ || !queue.live(p)) continue;
      const Time start = ledger.earlier({queue.job(p), queue.nodes(p), queue.duration(p), queue.hold(p)}, old);
      if (start != kNever) return {p, start};
    }
    return {queue.end(), kNever};
  }
  Availability(const Availability&) = default;

  Time now_;
  std::int32_t ceiling_ = std::numeric_limits<std::int32_t>::max();
  std::uint64_t changes_ = 0;
  const StartDirective* directive_ = nullptr;  ///< direct()
  bool prefer_busy_ = false;
};

}  // namespace coslice

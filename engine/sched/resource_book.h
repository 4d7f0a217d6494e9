// When and where jobs fit on a machine whose nodes differ: what the availability profile and the set of idle nodes are
// on a machine of equal nodes. It keeps what started jobs hold until their expected ends, and reservations, each of
// which names what will be there.
//
// Two kinds: WholeNodeBook counts nodes, where every job has its nodes for itself; SharedNodeBook keeps what is left on
// each node, where jobs may ask for parts of nodes.
#pragma once

#include <cstdint>
#include <memory>

#include "core/time.h"
#include "sched/job_demands.h"
#include "sched/reservation_keeps.h"

namespace coslice {

class Placement;
struct StartPlace;
struct StartedJob;

class ResourceBook {
 public:
  virtual ~ResourceBook() = default;

  const JobDemands& demands() const { return *demands_; }
  Time now() const { return now_; }
  /// Nodes on which some job is.
  std::int32_t used_nodes() const { return used_nodes_; }
  virtual void advance(Time now) = 0;
  /// Changes with every start, end and reservation.
  std::uint64_t changes() const { return changes_; }

  /// While it is closed, no job fits now; times and reservations are found as ever.
  void close(bool closed) { closed_ = closed; }
  /// From now on reservations for later get nodes on which jobs are now before others, or not.
  void prefer_busy(bool busy) { prefer_busy_ = busy; }
  /// Whether the waiting job could start now for d, beside all reservations and what is shielded.
  virtual bool fits_now(JobIndex j, Duration d) = 0;
  /// The same without its placement, which may decline what there is.
  virtual bool has_room_now(JobIndex j, Duration d) { return fits_now(j, d); }
  /// Whether direct() may be called: where nodes are chosen one by one, by the placement alone.
  virtual bool directs() const { return false; }
  /// Until the next start(), or direct() with null, fits_now() and start() of jobs without reservations look at that place
  /// only, whatever the placement would choose. It outlives that. Precondition: directs().
  void direct(const StartPlace* place) {
    place_ = place;
    ++changes_;
  }
  /// A job that needs more nodes does not fit now.
  virtual std::int32_t most_free() const = 0;
  /// The first t >= after at which it could start for d, beside all reservations. Precondition: it has none itself.
  virtual Time earliest(JobIndex j, Duration d, Time after) = 0;
  /// Whether it could start at t for d, beside all reservations. Precondition: it has none itself.
  virtual bool fits_at(JobIndex j, Duration d, Time t) = 0;
  /// The first instant from now on at which a job that is reserved for `old` could start, before that; kNever if none.
  /// Its reservation stays. A walk along the queue asks it of many jobs: begin_walk() before tells that what was asked
  /// since the last begin_walk() need not be asked again, as far as nothing was given back since.
  /// What is reserved until end_walk() is reserved at its earliest.
  virtual void begin_walk() {}
  virtual void end_walk() {}
  virtual Time earlier(JobIndex j, Duration d, Time old) = 0;

  /// Holds for it what it asks for, from t for d. Precondition: fits_at(j, d, t).
  virtual void reserve(JobIndex j, Duration d, Time t, ReservationKeeps keeps) = 0;
  void reserve(JobIndex j, Duration d, Time t) { reserve(j, d, t, ReservationKeeps::kAskedFor); }
  virtual void unreserve(JobIndex j) = 0;
  virtual bool reserved(JobIndex j) const = 0;
  /// The nodes that the reservation names; none where it is of counts. Precondition: reserved(j).
  virtual NodeRanges reserved_nodes(JobIndex) const { return {}; }

  /// The job is to start as early as it can beside what runs now; until unshield(), fits_now() and start() let no job
  /// delay it. Returns when that is. Preconditions: there are no reservations; it does not fit now.
  /// It is to have, of the nodes on which it fits then, first those on which it does not fit now.
  virtual Time shield(JobIndex j, Duration d) = 0;
  /// Whether it would leave more to some other job if it were shielded anew, now that others have started beside it: then
  /// a job that did not fit may fit in the next pass, although nothing has ended. Precondition: a job is shielded.
  virtual bool would_leave_more() const { return true; }
  virtual void unshield() = 0;

  /// The job starts: on what its reservation names, which must be for now, else where it fits now (fits_now() said so).
  /// Fills in where: StartedJob::nodes, parts, unit. It is held until job.expected_end.
  virtual void start(StartedJob& job) = 0;
  /// The node `down` stands for (StartedJob::nodes) is not there from now on until down.expected_end, which is now. Jobs
  /// that are on it stay until they finish. hold(), room_to_hold() and finish() take it as a job.
  /// Precondition: can_take_down().
  virtual void take_down(StartedJob& down) = 0;
  /// Whether no job has the node for itself.
  virtual bool can_take_down(NodeId n) const = 0;
  static constexpr std::int32_t kEveryAccess = -1;
  /// Nodes that will not be there in [from, to): no job fits that would be on them then; with an access (into
  /// JobDemands::accesses()) none with that access. Forgotten by unplan() with the same values. Nodes of which that is
  /// planned are told apart from others (JobDemands::tell_apart).
  virtual void plan(const NodeRanges& nodes, Time from, Time to, std::int32_t access) = 0;
  virtual void unplan(const NodeRanges& nodes, Time from, Time to, std::int32_t access) = 0;
  /// Many calls of these two follow. Precondition: no job has a reservation.
  virtual void expect_many_plans() {}
  /// When reservations of nodes keep jobs off is told by plan() and unplan() only, because windows lie elsewhere on the
  /// clock of this book. Before anything is planned.
  void plan_windows();
  /// What a waiting job asks for is something else from now on (JobDemands::choose_size).
  void asks_anew() { ++changes_; }
  /// The reservation of nodes, by its number, is known from now on: no job to which it is closed fits in its windows. Jobs
  /// that are on its nodes stay. Precondition: jobs hold no reservations. Those that are known from the beginning need not
  /// be announced.
  void announce(std::int32_t reservation);
  /// Its last window is over.
  void forget(std::int32_t reservation);
  /// Whether it is known.
  bool in_effect(std::int32_t reservation) const { return in_effect_[static_cast<std::size_t>(reservation)]; }
  /// Whether something is planned: then what is free may become less without a reservation.
  bool planned() const { return planned_ != 0; }
  /// Whether started jobs can lend their nodes: where each has whole ones.
  virtual bool lends() const { return false; }
  /// Whether the job could start now for d on `lent` nodes, which started jobs hold, and on idle ones, beside what started
  /// jobs hold. Preconditions: lends(); there are no reservations.
  virtual bool fits_over(JobIndex, Duration, const NodeRanges& /*lent*/) const { return false; }
  /// It does, as by start(): on idle nodes first. Lent ones stay held by those that hold them, and no longer than
  /// finish() are they its own. Returns those that it has of them.
  virtual NodeRanges start_over(StartedJob& job, const NodeRanges& lent);
  /// The job that has these lent nodes holds them itself from now on. Precondition: they are idle.
  virtual void keep_lent(StartedJob& job, const NodeRanges& nodes);
  /// The job ends: what it held is free.
  virtual void finish(StartedJob& job) = 0;
  /// Whether the job could hold what it has until `end`, after job.expected_end, beside all reservations.
  virtual bool room_to_hold(const StartedJob& job, Time end) const = 0;
  /// It does. Precondition: there is room, or no reservations.
  virtual void hold(const StartedJob& job, Time end) = 0;

  /// The same without reservations, for a what-if.
  virtual std::unique_ptr<ResourceBook> without_reservations() const = 0;

 protected:
  ResourceBook(const JobDemands& demands, Time start);
  ResourceBook(const ResourceBook&) = default;

  /// When jobs with that access do not fit on the node.
  TimeWindows closed_times(std::int32_t access, NodeId node) const;
  /// Other reservations of nodes are in effect.
  virtual void reservations_changed() = 0;

  const JobDemands* demands_;
  std::vector<bool> in_effect_;  ///< by reservation of nodes
  Time now_;
  std::int32_t used_nodes_ = 0;
  std::uint64_t changes_ = 0;
  const StartPlace* place_ = nullptr;  ///< direct()
  bool closed_ = false;
  bool prefer_busy_ = false;
  bool windows_planned_ = false;  ///< plan_windows()
  std::int32_t planned_ = 0;

 private:
  bool counts(std::int32_t reservation) const;
};

/// The book that fits the jobs: one of counts where that is enough. `placement` null: the first nodes on which a job
/// fits. All references outlive it.
std::unique_ptr<ResourceBook> make_resource_book(const JobDemands& demands, Placement* placement, Time start);

}  // namespace coslice

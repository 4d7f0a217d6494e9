// A heterogeneous machine, where jobs ask for parts of nodes: what is left on each node, of each GPU. As long as
// there are no reservations, what is left now says whether a job fits, because it never becomes less later; beside a
// shielded job, also what it leaves. With reservations, a timeline for each node says it.
#pragma once

#include <map>
#include <set>
#include <unordered_map>

#include "availability/node_availability.h"
#include "availability/node_timelines.h"
#include "jobs/started_jobs.h"
#include "machine/components.h"
#include "machine/core_rows.h"
#include "machine/node_pool.h"
#include "machine/placement.h"
#include "machine/start_directive.h"

namespace coslice {

class SharedNodeAvailability : public NodeAvailability {
  friend class WithoutJobs;

 public:
  SharedNodeAvailability(const JobDemands& demands, Placement* placement, Time start);
  SharedNodeAvailability(const SharedNodeAvailability&) = delete;
  SharedNodeAvailability& operator=(const SharedNodeAvailability&) = delete;

  void advance(Time now) override;
  bool fits_now(const Ask& a) override;
  Position next_passing(const WaitingQueue& queue, Position from, Position stop) override;
  bool has_room_now(const Ask& a) override;
  bool directs() const override { return true; }
  std::int32_t most_free() const override { return demands_->layout().node_count(); }
  Time earlier(const Ask& a, Time old) override;
  HoldId reserve(const Ask& a, Time t, ReservationKeeps keeps) override;
  void unreserve(const Ask& a, Time /*t*/) override { unreserve(a.job); }
  NodeRanges reserved_nodes(JobIndex j) const override { return nodes_in(reserved_.at(j).parts); }
  Time shield(const Ask& a) override;
  void unshield() override;
  void start(StartedJob& job, bool reserved) override;
  // As if a job had come that is alone on its node, however full that is.
  void take_down(StartedJob& down) override {
    has_come(down.index, {{{down.nodes.ranges().front().first, 0}}, JobDemands::kWholeNode, now_, now_});
  }
  void close(const NodeRanges& nodes, Time from, Time to, std::int32_t access) override;
  void reopen(const NodeRanges& nodes, Time from, Time to, std::int32_t access) override;
  bool never_falls() const override { return reserved_.empty() && planned_ == 0; }
  void expect_many_closures() override { reservations_changed(); }  // lines are made again when a job asks
  void finish(StartedJob& job) override { let_go(job, job.held, now_); }
  bool room_to_hold(const StartedJob& job, Time end) const override {
    if (reserved_.empty()) return true;
    const Holding& held = started_.at(job.index);
    return room_beside_reserved(held.unit, request(held), held.parts, {held.to, end});
  }
  void hold(const StartedJob& job, Time end) override;
  std::unique_ptr<Availability> without_reservations(const StartedJobs& jobs) const override;

  bool has_more(const StartedJob& job, std::int32_t nodes, Time end) override {
    return left_beside(job, end, Kept::kStays).count() >= nodes - job.node_count;
  }
  bool room_for_more(const StartedJob& job, std::int32_t nodes, Time end) override {
    return left_beside(job, end, Kept::kIfThereIsRoom).count() >= nodes - job.node_count;
  }
  NodeRanges more_nodes(const StartedJob& job, const NodeRanges& kept, std::int32_t more, Time end) override;
  bool room_for_nodes(const StartedJob& job, const NodeRanges& nodes, Time end) override;
  void resize(StartedJob& job, const NodeRanges& nodes, Time end) override;
  bool has_parts() const override { return true; }
  Parts parts_on(const StartedJob& job, const NodeRanges& nodes) const override;
  void give_up(const StartedJob& given_up, const StartedJob& job) override;

  bool place_group(const GroupAsk& ask, std::vector<JobAllocation>& out) override;

  // --- groups of jobs, and jobs that another ledger lets run on the same nodes (time slices)
  /// Returns what started jobs leave of each node now.
  const NodePool& pool() const { return pool_; }
  /// Returns those of the unit's nodes that are not closed to it before `end`, whatever runs on them.
  NodeSet open_until(std::int32_t unit, Time end) const {
    Time opens = kNever;
    return open_between(unit, now_, end, opens);
  }
  /// Chooses among these nodes for the job as it does where a job starts, what makes way included. False if they do not
  /// do.
  bool choose_on(JobIndex j, const Request& r, const NodeSet& nodes, Parts& out) {
    return choose_by(*placement_, j, r, pool_, nodes, out);
  }
  /// Lets `starts` change what the placement is shown for jobs that start now without a reservation. `starts` outlives
  /// the ledger.
  void show_starts(StartChoice& starts) { starts_ = &starts; }
  /// Returns those nodes on which the unit's request fits beside what started jobs have now, whatever is reserved.
  const NodeSet& fitting_now(std::int32_t unit) { return fits_now_.fitting(unit, request(unit), nodes(unit)); }
  /// Returns those nodes on which the unit's request fits from now until `end`, beside all reservations and the
  /// shielded job.
  NodeSet fitting_until(std::int32_t unit, Time end) {
    const Request& r = request(unit);
    if (never_less(end)) return fitting_beside_shield(unit, end);
    return lines(unit).fitting(r, reserved_.empty() ? fitting_beside_shield(unit, end) : fitting_now(unit), now_, end);
  }
  /// Returns whether the unit has `wanted` nodes until `end` that are not `closed`, beside all reservations and the
  /// shielded job; of several components whether each has its own.
  bool has_nodes_until(std::int32_t unit, Time end, std::int32_t wanted, const NodeSet& closed) {
    if (!has_components(request(unit))) return (fitting_until(unit, end) -= closed).count() >= wanted;
    std::vector<NodeSet> each;
    for (const std::int32_t c : components(unit)) each.push_back(fitting_until(c, end) -= closed);
    return enough_apart(request(unit), each);
  }
  /// Returns what is left for the unit on the node from now until `end`.
  NodeRoom room_until(std::int32_t unit, NodeId n, Time end);
  /// Returns whether licences are left for the unit, now or for so long.
  bool licences_now(std::int32_t unit) const { return pool_.has_licences(request(unit)); }
  bool licences_until(std::int32_t unit, Time end);
  /// Returns whether exactly these parts are left for so long.
  bool left_until(std::int32_t unit, const Parts& parts, Time end) {
    return licences_until(unit, end) && std::ranges::all_of(parts, [&](const NodePart& part) {
             return fits_on(request(unit), room_until(unit, part.node, end), part);
           });
  }
  /// Returns those of the unit's nodes that are not closed to it in [from, to), whatever runs on them. `opens` becomes
  /// the end of the first time after `from` in which one of the others is closed, or stays.
  NodeSet open_between(std::int32_t unit, Time from, Time to, Time& opens) const;
  /// Takes the parts of a job of another view from now until `end`. The job fits beside what started jobs have.
  void take_in(const StartedJob& job, std::int32_t nodes, Time end) override;
  /// Gives back what take_in() took for the job. Nothing happens if it was not taken in.
  void let_go(const StartedJob& job, std::int32_t nodes, Time end) override;
  /// Keeps the allocation that the waiting job would get, until give_up_allocation(): now where it fits now, else as
  /// shield() says; questions are answered as if it were taken. Precondition: there are no reservations.
  void keep_allocation(const Ask& a);
  void give_up_allocation(JobIndex j) {
    if (reserved_.count(j) != 0) unreserve(j);
    else unshield();
  }
  /// Answers questions as if the job had no reservation, until restore_reservation().
  void lift_reservation(JobIndex j) {
    if (const auto own = reserved_.find(j); own != reserved_.end()) give_in_lines(own->second);
  }
  void restore_reservation(JobIndex j) {
    if (const auto own = reserved_.find(j); own != reserved_.end()) take_in_lines(own->second);
  }

 protected:
  Time earliest_in(std::int32_t unit, Duration d, Time after) override;
  bool fits_in(std::int32_t unit, Time t, Time end) override {
    const Request& r = request(unit);
    if (has_components(r)) return lines(unit).has_licences(r, t, end) && enough_apart(r, fitting_apart(unit, t, end));
    const NodeSet fitting = lines(unit).fitting(r, nodes(unit), t, end);
    return fitting.count() >= r.nodes &&
           (!needs_together(r) || !lacks_together(r, window_pool(unit, fitting, t, end), fitting));
  }
  void reservations_changed() override {
    lines_.clear();
    found_.clear();
    closed_.clear();
    first_closure_ = first_closed(closures_);
  }
  void window_over() override { first_closure_ = first_closed(closures_); }

 private:
  struct Holding {
    Parts parts;
    std::int32_t unit = -1;
    Time from;
    Time to;
    bool given_up = false;  ///< by a job that has more, and its licences
  };
  /// Where a job that fits now would go, as long as nothing changes: scripts ask whether it fits, and then start it.
  struct Chosen {
    JobIndex job = kNoJob;
    Time end;
    std::uint64_t stamp = 0;
    std::uint64_t others = 0;  ///< Placement::changes()
    std::optional<StartDirective> directive;
    std::int32_t unit = -1;
    Parts parts;
  };

  /// Nodes that are closed to jobs with that access.
  struct Closure {
    Time from, to;
    Parts parts;
    std::int32_t access;
    bool operator==(const Closure&) const = default;
  };

  /// Nodes that are closed at the same times.
  struct ClosedAlike {
    NodeSet nodes;
    TimeWindows times;
  };

  /// Returns the nodes that reservations of nodes close to jobs with that access.
  const std::vector<ClosedAlike>& closed_alike(std::int32_t access) const;
  const Request& request(std::int32_t unit) const { return demands_->request_of(unit); }
  const Request& request(const Holding& held) const { return held.given_up ? on_nodes(held.unit) : request(held.unit); }
  /// Returns what the unit asks of its nodes, without licences, which are the job's.
  const Request& on_nodes(std::int32_t unit) const;
  const NodeSet& nodes(std::int32_t unit) const { return demands_->nodes(demands_->unit(unit)); }
  /// Returns the units of the components of a unit of several.
  const std::vector<std::int32_t>& components(std::int32_t unit) const { return demands_->unit(unit).components; }
  /// Returns, by component, the nodes on which each fits throughout [from, to).
  std::vector<NodeSet> fitting_apart(std::int32_t unit, Time from, Time to) {
    std::vector<NodeSet> fit;
    for (const std::int32_t c : components(unit)) fit.push_back(lines(c).fitting(request(c), nodes(c), from, to));
    return fit;
  }
  /// Returns, by component, the nodes on which each fits now.
  std::vector<NodeSet> fitting_apart_now(std::int32_t unit) {
    std::vector<NodeSet> fit;
    for (const std::int32_t c : components(unit)) fit.push_back(fitting_now(c));
    return fit;
  }
  template <class F>
  void reserve_on(const Ask& a, Time t, ReservationKeeps keeps, F&& choose);
  void unreserve(JobIndex j);
  /// Returns what is left for the jobs of a unit.
  NodeTimelines& lines(std::int32_t unit) {
    if (lines_.empty()) make_lines();
    return lines_[static_cast<std::size_t>(demands_->access(unit))];
  }
  void make_lines();
  /// Calls f(line) for jobs with that access.
  template <class F>
  void each_line_of(std::int32_t access, F&& f) {
    for (std::size_t a = 0; a != lines_.size(); ++a)
      if (access == kEveryAccess || access == static_cast<std::int32_t>(a)) f(lines_[a]);
  }
  void take_plans_in_lines();
  void take_in_lines(const Holding& held) {
    for (NodeTimelines& line : lines_) line.take(request(held), held.parts, held.from, held.to);
  }
  void give_in_lines(const Holding& held) {
    for (NodeTimelines& line : lines_) line.give(request(held), held.parts, held.from, held.to);
    found_.clear();
  }
  /// Lets the job have its parts from now on.
  void has_come(JobIndex j, Holding held, bool again = false) {
    apply(held, 1, again);
    ends_.insert({held.to, j});
    started_[j] = std::move(held);
  }
  /// Returns whether what is left now is left until `end`, too, but for what is shielded.
  bool never_less(Time end) const { return reserved_.empty() && end <= first_closure_; }
  /// Returns the nodes on which the unit's request fits now, beside the shielded job if it runs on when that starts.
  const NodeSet& fitting_beside_shield(std::int32_t unit, Time end) {
    return (beside_shield(end) ? fits_both_ : fits_now_).fitting(unit, request(unit), nodes(unit));
  }
  /// Returns on how many nodes a request of any unit fits now at the most.
  std::int32_t most_fitting_now();
  bool has_nodes_now(std::int32_t unit) {
    if (has_components(request(unit)))
      return licences_now(unit) && enough_apart(request(unit), fitting_apart_now(unit));
    return fitting_now(unit).count() >= request(unit).nodes && licences_now(unit) &&
           !lacks_together(request(unit), pool_, fitting_now(unit));
  }
  bool choose(JobIndex j, const Request& r, const NodePool& pool, const NodeSet& fitting);
  bool choose_among(JobIndex j, const Request& r, const NodePool& pool, const NodeSet& fitting);
  bool choose_by(Placement& placement, JobIndex j, const Request& r, const NodePool& pool, const NodeSet& fitting,
                 Parts& out);
  bool choose_mate(const Request& r, const NodeSet& nodes);
  /// Where a job is looked for a place.
  struct Left {
    const NodePool& pool;     ///< what is left then
    const NodePool& running;  ///< what runs
  };
  template <class F>
  bool choose_in_row(const Request& r, const Left& left, const NodeSet& fitting, Parts& out, F&& among);
  const NodePool& left_in_row(const Request& r, const NodePool& pool, std::int32_t row, const NodeSet& nodes);
  void choose_any(JobIndex j, const Request& r, const NodePool& pool, const NodeSet& fitting, Parts& out);
  template <class F>
  std::vector<RowMember> members_of_rows(std::int32_t partition, F&& parts_of) const;
  std::int32_t rows_of(std::int32_t partition) const;
  void pack(std::int32_t partition);
  /// Chooses nodes for a reservation by the placement, or the first ones where the placement declines: a reservation
  /// needs nodes.
  void choose_later(JobIndex j, const Request& r, const Left& left, const NodeSet& fitting, Parts& out);
  template <class F>
  void choose_first(JobIndex j, const Request& r, const Left& left, const NodeSet& fitting, F&& first, Parts& out);
  bool choose_now(JobIndex j, std::int32_t unit, Time end);
  bool choose_components_now(JobIndex j, std::int32_t unit, Time end);
  bool choose_beside_reservations(JobIndex j, std::int32_t unit, Time end);
  bool choose_components(JobIndex j, std::int32_t unit, const NodePool& pool, std::vector<NodeSet> fitting);
  const NodePool& window_pool(std::int32_t unit, const NodeSet& fitting, Time from, Time to);
  /// Lets window_pool() leave no more of these nodes than there is beside the shielded job.
  void meet_beside_shield(const NodeSet& nodes);
  bool room_beside_reserved(std::int32_t unit, const Request& r, const Parts& parts, TimeWindow w) const;
  NodeSet left_beside(const StartedJob& job, Time end, Kept how);
  void choose_more(const StartedJob& job, const NodeSet& among, std::int32_t count, Time end, Parts& out);
  void apply(const Holding& held, std::int32_t sign, bool again = false);
  void sync(NodeId n);
  void forget_shield();
  /// What a job must find on its nodes to start there.
  enum class Wants : std::uint8_t {
    kRoom,
    kIdle,  ///< no other job: its placement declined nodes with room
  };
  bool would_fit(std::int32_t unit, NodeId n, Wants wants) const {
    return nodes(unit).contains(n) && after_.fits(request(unit), n) &&
           (wants == Wants::kRoom || after_.room(n).jobs == 0);
  }
  std::vector<NodeId> fits_already(std::int32_t unit, Wants wants);
  NodeSet fits_then(std::int32_t unit, Wants wants) const;
  std::vector<NodeSet> fits_apart_then(std::int32_t unit, Wants wants) const;
  bool fits_in_after(std::int32_t unit, Wants wants) const;
  Parts shielded_components(std::int32_t unit, Wants wants);
  std::int32_t free_ends_until_it_fits(const Demand& demand, Wants wants, std::vector<std::vector<NodeId>>& fits_later);
  Parts shielded_parts(std::int32_t unit, Wants wants, std::vector<NodeId> fits_later);

  FirstFit first_fit_;
  Placement* placement_;
  StartChoice* starts_ = nullptr;  ///< null: the placement is shown what is left
  NodePool pool_;                  ///< now
  NodePool both_;                  ///< now, and beside the shielded job
  NodePool after_;                 ///< when the shielded job starts, without what it takes; without one, as now
  NodePool window_;
  std::optional<NodePool> in_row_;            ///< left_in_row()
  std::optional<NodePool> ahead_;             ///< WithoutJobs
  std::vector<std::uint64_t> window_stamps_;  ///< by node: of pool_, when window_ was told of what runs there
  FitIndex fits_now_, fits_both_;
  /// By access: plans ask for each job, and the answer is the same until other reservations are in effect.
  mutable std::map<std::int32_t, std::vector<ClosedAlike>> closed_;
  std::vector<NodeTimelines> lines_;  ///< by access to reservations of nodes; once they were needed
  std::unordered_map<JobIndex, Holding> started_, reserved_;
  mutable std::map<std::int32_t, Request> on_nodes_;  ///< of units with licences
  std::set<std::pair<Time, JobIndex>> ends_;          ///< expected ends of started jobs
  std::deque<Closure> closures_;                      ///< in order of their beginnings
  Time first_closure_ = kNever;  ///< when the first of them or of reservations of nodes begins or began
  Chosen chosen_;
  /// By unit of demand and duration: it does not fit in [asked, found), as long as nothing is given back.
  struct Found {
    Time asked, found;
  };
  std::map<std::pair<std::int32_t, Duration>, Found> found_;
  bool shielding_ = false;
  NodeSet shielded_;             ///< nodes of the shielded job
  std::vector<NodeId> touched_;  ///< where after_ and both_ are to become as now
};

/// What would be left if some started jobs had ended. One at a time for a ledger, which does not change meanwhile.
class WithoutJobs {
 public:
  /// Begins with what is left now. The ledger outlives it.
  explicit WithoutJobs(SharedNodeAvailability& ledger);
  /// Lets the started job be over.
  void end(JobIndex j);
  /// Chooses nodes of `among` for a job of the unit as for a reservation; `busy_first`: those with jobs now come first.
  /// Returns false where there are not enough.
  bool choose(JobIndex j, std::int32_t unit, const NodeSet& among, bool busy_first, Parts& out);

 private:
  void pack();
  bool choose_components(JobIndex j, std::int32_t unit, const NodeSet& among, bool busy_first, Parts& out);

  SharedNodeAvailability& ledger_;
  NodePool& left_;
  std::set<JobIndex> gone_;            ///< of partitions with several rows
  std::vector<std::int32_t> loose_;    ///< partitions of which jobs have gone since pack()
  std::map<JobIndex, Parts> moved_{};  ///< what jobs have that pack() put into other rows
};

}  // namespace coslice

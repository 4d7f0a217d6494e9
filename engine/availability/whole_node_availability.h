// A heterogeneous machine, where every job has its nodes for itself. Nodes between which no job tells a difference
// are an atom; for each atom the idle nodes, and an availability profile that says how many will be. A job may have
// nodes of several atoms, as many of each as are free for as long as it runs.
//
// What belongs to the whole machine and can run out (licences) is counted over time like an atom.
//
// Which nodes of an atom a job gets is decided when it starts: as long as the counts are there, the nodes are. A
// placement that only ranks nodes says which.
#pragma once

#include <deque>

#include "availability/node_availability.h"
#include "availability/occupancy.h"
#include "availability/profile.h"
#include "machine/node_pool.h"

namespace coslice {

class WholeNodeAvailability : public NodeAvailability {
 public:
  /// Returns whether counts are enough for these demands: no job shares a node, and the placement (null: the lowest
  /// nodes) only ranks nodes.
  static bool serves(const JobDemands& demands, const Placement* placement);
  /// Makes the ledger of a machine on which all jobs have whole nodes. A job that starts gets nodes that are idle by
  /// `occupancy`, of each atom as many as are free by the ledger. All references outlive it. Precondition: serves().
  WholeNodeAvailability(const JobDemands& demands, Placement* placement, const Occupancy& occupancy, Time start);

  void demands_added() override;
  void advance(Time now) override;
  bool fits_now(const Ask& a) override;
  std::int32_t most_free() const override { return most_free_; }
  bool may_fall(const Ask& a) override {
    if (planned_ == 0) return false;
    const Time t = earliest(a, now_);
    return t == kNever || later(t, a.duration) > first_closed(closures_);
  }
  void begin_walk() override {
    walking_ = true;
    last_walk_ = this_walk_;
    this_walk_ = ++changes_;
  }
  void end_walk() override { walking_ = false; }
  Time earlier(const Ask& a, Time old) override;
  HoldId reserve(const Ask& a, Time t, ReservationKeeps keeps) override;
  void unreserve(const Ask& a, Time /*t*/) override {
    note_given_back(held(a.hold).shares);
    give_back(a.hold);
  }
  HoldId move(const Ask& a, Time old, Time t, ReservationKeeps keeps) override;
  Time shield(const Ask& a) override;
  EasyHole hole(const Ask& a) override;
  bool would_leave_more() const override;
  void unshield() override { shadow_ = kNever; }
  void start(StartedJob& job, bool reserved) override;
  void take_down(StartedJob& down) override;
  void close(const NodeRanges& nodes, Time from, Time to, std::int32_t access) override;
  void reopen(const NodeRanges& nodes, Time from, Time to, std::int32_t access) override;
  bool has_more(const StartedJob& job, std::int32_t nodes, Time end) override {
    return has_nodes(job, nodes, end, Kept::kStays);
  }
  bool room_for_more(const StartedJob& job, std::int32_t nodes, Time end) override {
    return has_nodes(job, nodes, end, Kept::kIfThereIsRoom);
  }
  NodeRanges more_nodes(const StartedJob& job, const NodeRanges& kept, std::int32_t more, Time end) override;
  bool room_for_nodes(const StartedJob& job, const NodeRanges& nodes, Time end) override;
  void resize(StartedJob& job, const NodeRanges& nodes, Time end) override;
  bool lends() const override { return placement_ == nullptr && countables_.empty(); }
  bool fits_over(const Ask& a, const NodeRanges& lent) const override;
  void start_over(StartedJob& job, const NodeRanges& lent) override;
  void keep_lent(StartedJob& job, const NodeRanges& nodes) override;
  void finish(StartedJob& job) override;
  bool room_to_hold(const StartedJob& job, Time end) const override;
  void hold(const StartedJob& job, Time end) override;
  std::unique_ptr<Availability> without_reservations(const StartedJobs& jobs) const override;

 protected:
  Time earliest_in(std::int32_t unit, Duration d, Time after) override { return earliest_of(unit, d, after, kNever); }
  bool fits_in(std::int32_t unit, Time t, Time end) override { return !shares_at(unit, t, end).empty(); }
  void reservations_changed() override;

 private:
  /// Nodes of one atom that a job has or is to have; or so much of a countable.
  struct Share {
    std::int32_t atom;
    std::int32_t count;
    bool operator==(const Share&) const = default;
  };
  using Shares = boost::container::small_vector<Share, 2>;
  /// What a started job has, or a waiting one is to have.
  struct Holding {
    Shares shares;  ///< empty: the record is of no job
    std::int32_t unit;
    Time from;
    Time to;
    bool waits = false;  ///< whether the job waits: it is a reservation
    NodeRanges lent{};   ///< beside the shares: nodes that other jobs hold
  };
  /// A set of nodes that some request may have, as atoms.
  struct Union {
    std::vector<std::int32_t> atoms;     ///< in the order of their first nodes
    std::vector<std::int32_t> profiles;  ///< of each of them; where it is closed at times, one of its own
    std::int32_t profile;                ///< how many nodes of all of them are free
    std::int32_t idle;                   ///< now
    std::int32_t beside_shield;          ///< now, and beside the shielded job
  };

  /// A profile in which what is taken of an atom counts, but for times in which the atom is closed to its jobs: then it
  /// cannot have any of it.
  struct Counted {
    std::int32_t profile;
    std::int32_t closed;  ///< into closed_times_; -1: none
    bool operator==(const Counted&) const = default;
  };
  struct Closure {
    Time from, to;
    Shares shares;
    bool operator==(const Closure& o) const = default;
  };

  /// A licence that can run out.
  struct Countable {
    std::int32_t count;  ///< in all
    std::int32_t left;   ///< now
  };
  /// What a unit of a demand asks for.
  struct Wanted {
    std::int32_t nodes;
    std::int32_t of;    ///< number of the union
    Shares countables;  ///< so much of each
  };
  /// Jobs with the same demand. Of most all that matters is near by: a walk asks it of many jobs.
  struct Alike {
    std::int32_t unit = -1;  ///< the only one, where its nodes are of one atom; else -1
    std::int32_t nodes = 0;
    std::int32_t atom = 0, profile = 0;
    bool countables = false;
  };

  template <class F>
  Shares gather(std::int32_t unit, F&& free) const;
  void find_atoms();
  void find_wanted();
  void find_alike();
  void make_profiles();
  std::int32_t new_profile(std::int32_t nodes) {
    profiles_.emplace_back(nodes, now_);
    return static_cast<std::int32_t>(profiles_.size()) - 1;
  }
  void count_in(Counted there, std::int32_t atom);
  std::int32_t closed_in(std::int32_t access, std::int32_t atom);
  const Wanted& wanted(std::int32_t unit) const { return wanted_[static_cast<std::size_t>(unit)]; }
  const Union& union_of(std::int32_t unit) const { return unions_[static_cast<std::size_t>(wanted(unit).of)]; }
  void change(const Shares& shares, Time from, Time to, std::int32_t sign);
  void count(const Shares& shares, Time from, Time to, std::int32_t sign);
  void forget_window(const Share& atom, Time from, Time to);
  void count_closure(const Share& atom, Time from, Time to, std::int32_t sign);
  const std::deque<TimeWindow>* planned_times(std::int32_t atom) const;
  void count_idle();
  Shares shares_of(const NodeRanges& nodes) const;
  Shares kept_for(const StartedJob& job) const;
  bool has_nodes(const StartedJob& job, std::int32_t nodes, Time end, Kept how) const;
  std::int32_t left_beside(const StartedJob& job, std::size_t i, const Shares& kept, Time end, Kept how) const;
  HoldId keep(Holding&& holding);
  void forget(HoldId hold);
  Holding& held(HoldId hold) { return holdings_[static_cast<std::size_t>(hold)]; }
  const Holding& held(HoldId hold) const { return holdings_[static_cast<std::size_t>(hold)]; }
  void give_back(HoldId hold);
  /// What is free now says that a job can stay.
  bool never_falls() const override { return reservations_ == 0 && planned_ == 0; }
  const Alike& alike_to(JobIndex j) const { return alike_[static_cast<std::size_t>(demands_->demand_number(j))]; }
  bool is_countable(std::int32_t atom) const { return static_cast<std::size_t>(atom) >= sizes_.size(); }
  /// Returns whether the nodes are of one atom.
  bool in_one_atom(const Shares& shares) const {
    return shares.size() == 1 || (shares.size() > 1 && is_countable(shares[1].atom));
  }
  bool countables_left(std::int32_t unit, bool beside) const;
  void take_now(const Shares& shares, std::int32_t sign);
  NodeRanges take_lowest(const Shares& shares);
  NodeRanges take_ranked(JobIndex j, Holding& holding, Time end);
  Shares shares_at(std::int32_t unit, Time t, Time end) const;
  Shares shares_now(std::int32_t unit, Time end) const;
  std::pair<NodeRanges, NodeRanges> nodes_over(std::int32_t unit, Time end, const NodeSet& lent) const;
  Time earliest_nodes(std::int32_t unit, Duration d, Time after, Time before) const;
  Time earliest_of(std::int32_t unit, Duration d, Time after, Time before) const;
  std::vector<std::int32_t> left_by_shielded() const;
  /// Returns how many nodes of the atom are idle and left by the shielded job.
  std::int32_t left_idle(std::int32_t atom) const {
    return std::min(idle_[static_cast<std::size_t>(atom)], left_[static_cast<std::size_t>(atom)]);
  }
  void note_given_back(const Shares& shares) {
    ++changes_;
    for (const Share& s : shares) given_back_[static_cast<std::size_t>(s.atom)] = changes_;
  }
  bool gained(std::int32_t atom) const { return given_back_[static_cast<std::size_t>(atom)] >= last_walk_; }
  bool may_move_up(const Demand& demand) const;

  std::vector<std::int32_t> atom_of_;  ///< by node
  std::vector<NodeSet> atoms_;         ///< their nodes
  std::vector<std::int32_t> idle_;     ///< by atom: how many are, beside what is held now
  std::vector<NodeId> idle_from_;      ///< by atom: no node before is idle
  std::vector<std::int32_t> sizes_;    ///< by atom: its nodes
  std::vector<NodeId> first_nodes_;    ///< by atom
  std::vector<Countable> countables_;
  std::vector<Wanted> wanted_;  ///< by unit
  std::vector<Alike> alike_;    ///< by JobDemands::demand_number()
  Placement* placement_;        ///< null: the lowest nodes
  const Occupancy* occupancy_;
  std::optional<NodePool> pool_;                   ///< what the placement is shown: idle nodes are empty
  std::vector<Profile> profiles_;                  ///< by atom; by countable; then those of unions of several atoms
  std::vector<std::vector<Counted>> profiles_of_;  ///< by atom: others in which it counts, of unions mostly
  std::vector<TimeWindows> closed_times_;
  std::vector<std::deque<TimeWindow>> closure_times_;  ///< by atom: when it is planned to be away; as TimeWindows
  std::deque<Closure> closures_;                       ///< in order of their beginnings
  std::vector<std::vector<std::int32_t>> unions_of_;   ///< by atom
  std::vector<Union> unions_;                          ///< by JobDemands::node_sets()
  std::vector<Holding> holdings_;                      ///< by HoldId
  std::vector<HoldId> spare_;                          ///< those of no job
  std::int32_t reservations_ = 0;
  std::vector<std::int32_t> left_;  ///< by atom and countable: what the shielded job leaves at shadow_
  std::int32_t shielded_unit_ = -1;
  std::int32_t most_free_ = 0;
  /// by atom and countable: number of the last change that gave something back
  std::vector<std::uint64_t> given_back_;
  bool walking_ = false;
  std::uint64_t this_walk_ = 0, last_walk_ = 0;  ///< changes before them
};

}  // namespace coslice

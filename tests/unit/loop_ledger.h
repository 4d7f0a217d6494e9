// What the twin of the loop keeps of a case: who holds what from when to when, and what follows from that: where a job
// fits, when it does first, and for how long it would be held.
#pragma once

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "loop_twin.h"

namespace coslice::loop {

struct Piece {
  int node = 0;
  std::uint64_t gpus = 0;
  std::uint64_t cores = 0;  ///< where some jobs share cores
  int row = 0;              ///< of its partition
  int component = -1;       ///< of a job of several
};

/// Where a job may run: nodes in the order in which they are tried.
struct Unit {
  std::vector<int> nodes;
  int partition = -1;
  std::vector<Unit> components{};  ///< of a job of several: where each of them may; `partition` is that of the first
};

/// What is held from when to when; `job` is negative for a node that is down.
struct Hold {
  int job = 0;
  std::vector<Piece> pieces;
  Tick from = 0, to = 0;
  const Unit* unit = nullptr;
};

/// What a job may be.
struct Form {
  int nodes = 1, runtime = 1, limit = 1;
  std::vector<Unit> units;
};

struct Choice {
  bool found = false;
  std::vector<Piece> pieces;
  const Unit* unit = nullptr;
};

enum class Phase { kToCome, kWaiting, kRunning, kOver };

__extension__ typedef __int128 Wide;  ///< of work
using Rate = std::int64_t;

/// What is true of a job now.
struct Progress {
  Phase phase = Phase::kToCome;
  bool never = false;   ///< it can never come
  bool failed = false;  ///< when it is over
  Tick started_once = kNever, over = kNever;
  Tick saved = 0;  ///< work up to its last checkpoint
  Tick came = 0;   ///< into the queue
  bool interrupted = false;
  bool reserved = false;
  int promise = 0;  ///< of reservations, the how-manyth it was
  Tick began = 0;   ///< the run
  Tick ends = 0;    ///< of the run
  Tick up = 0;      ///< when all nodes of the run are
  Tick gone = 0;    ///< when it is at the latest
  std::size_t corrected = 0;
  bool booting = false;             ///< its nodes are not up, and others feel nothing of it yet
  Tick total = 0, limit = 0;        ///< of the run: what it has to do, and may
  Wide left = 0, planned_left = 0;  ///< of its work, and as is believed
  Rate rate = 0;
  Tick since = 0;          ///< it has done nothing of what is left before
  Tick stopped = 0;        ///< for so long in this run
  Tick told = 0;           ///< when it was told to end, where a wait follows
  int order = 0;           ///< in which ends were found
  bool parked = false;     ///< it waits for a place in its array
  bool has_place = false;  ///< in its array, and has not come
  Tick may_come = 0;       ///< but for that
  bool killed = false;     ///< at the end of the run
  bool fixed = false;      ///< it has been started with its size
  bool suspended = false;
  Tick suspended_at = 0;
  Tick planned_rest = 0;  ///< of its run, as is believed
};

struct NodeState {
  Tick until = 0, believed = 0;
  Tick known = 0;  ///< it is not there before, as is known of drains and maintenance
  Away kind = Away::kFailure;
  bool draining = false, down = false;
  Tick free_since = 0, up = 0;  ///< where nodes are powered down
};

struct Room {
  int cores = 0, memory = 0, jobs = 0;
  bool exclusive = false;
  std::vector<int> gpus;
};

inline bool has(const std::vector<int>& list, int x) { return std::find(list.begin(), list.end(), x) != list.end(); }

class Ledger {
 public:
  virtual ~Ledger() = default;
  explicit Ledger(const Case& c)
      : c_(c), said_(c.jobs), jobs_(c.jobs.size()), fates_(c.jobs.size()),
        nodes_(static_cast<std::size_t>(c.node_count())), units_(c.jobs.size()) {
    looked_in_.assign(c.jobs.size(), -1);
    for (int j = 0; j != count(); ++j) {
      forms_.push_back(forms_of(j));
      if (!forms_.back().empty()) take_form(j, 0);
    }
    for (int j = 0; j != count(); ++j) whole_ = whole_ && takes_all(j);
    if (c_.sliced && tells_nodes_apart()) whole_ = false;  // in slices nodes are named then
    for (int n = 0; n != machine(); ++n) class_of_.push_back(first_alike(n));
    const auto before = [&](int a, int b) { return class_of(a) < class_of(b); };
    for (int j = 0; j != count(); ++j) {
      for (Form& form : forms_[static_cast<std::size_t>(j)])
        for (Unit& u : form.units)
          if (whole_) std::stable_sort(u.nodes.begin(), u.nodes.end(), before);
      if (!hopeless(j)) take_form(j, 0);
    }
  }

 protected:
  static Tick seconds(int s) { return s * kSecond; }
  int count() const { return static_cast<int>(c_.jobs.size()); }
  int machine() const { return c_.node_count(); }
  Progress& job(int j) { return jobs_[static_cast<std::size_t>(j)]; }
  const Progress& job(int j) const { return jobs_[static_cast<std::size_t>(j)]; }
  /// With the size that it has now.
  const Job& said(int j) const { return said_[static_cast<std::size_t>(j)]; }
  const std::vector<Form>& forms(int j) const { return forms_[static_cast<std::size_t>(j)]; }
  Fate& fate(int j) { return fates_[static_cast<std::size_t>(j)]; }
  NodeState& node(int n) { return nodes_[static_cast<std::size_t>(n)]; }
  int class_of(int n) const { return class_of_[static_cast<std::size_t>(n)]; }

  // --- where jobs may run

  bool names(int j, const Reserved& r) const {
    return said(j).reservation >= 0 && &c_.reservations[static_cast<std::size_t>(said(j).reservation)] == &r;
  }
  bool entitled(int j, const Reserved& r) const { return has(r.users, said(j).user) || has(r.jobs, j) || names(j, r); }
  /// The reservation in which it has to run; null: none. One that floats never comes.
  const Reserved* named(int j) const {
    for (const Reserved& r : c_.reservations)
      if (r.floating < 0 && names(j, r)) return &r;
    return nullptr;
  }
  /// Whether the reservation keeps no nodes from the job.
  bool open(int j, const Reserved& r) const {
    return entitled(j, r) || said(j).limit <= (r.floating >= 0 ? r.floating : r.backfill);
  }

  /// While it is there, the job is as if it were that component alone.
  class As {
   public:
    As(const Ledger& ledger, int j, std::size_t i) : job_(ledger.said_[static_cast<std::size_t>(j)]), own_(job_) {
      job_ = component_of(own_, i);
    }
    ~As() { job_ = own_; }
    As(const As&) = delete;
    As& operator=(const As&) = delete;

   private:
    Job& job_;
    Job own_;
  };
  /// The highest tier of its partitions.
  int tier_in(const Unit& unit) const {
    int tier = c_.partitions[static_cast<std::size_t>(unit.partition)].tier;
    for (const Unit& one : unit.components) tier = std::max(tier, tier_in(one));
    return tier;
  }
  bool several(int j) const { return !said(j).components.empty(); }
  /// What it asks for where it has that.
  const Ask& asks_for(int j, const Piece& piece) const {
    return piece.component < 0 ? said(j).ask : said(j).components[static_cast<std::size_t>(piece.component)].ask;
  }

  /// Each way to choose one for each component with which all have nodes of their own.
  std::vector<Unit> units_of_components(int j) const {
    std::vector<std::vector<Unit>> each;
    for (std::size_t i = 0; i != said(j).components.size(); ++i) {
      const As one(*this, j, i);
      each.push_back(units_of(j));
    }
    std::vector<Unit> units, chosen;
    const std::function<void()> choose = [&] {
      if (chosen.size() != each.size()) {
        for (const Unit& u : each[chosen.size()]) {
          chosen.push_back(u);
          choose();
          chosen.pop_back();
        }
        return;
      }
      std::vector<std::vector<int>> lists;
      Unit unit{{}, chosen.front().partition, chosen};
      for (int n = 0; n != machine(); ++n)
        if (std::any_of(chosen.begin(), chosen.end(), [n](const Unit& u) { return has(u.nodes, n); }))
          unit.nodes.push_back(n);
      for (const Unit& u : chosen) lists.push_back(u.nodes);
      if (!apart(said(j).components, lists).empty()) units.push_back(unit);
    };
    if (said(j).ask.licences <= c_.licences) choose();
    return units;
  }

  std::vector<Unit> units_of(int j) const {
    if (several(j)) return units_of_components(j);
    std::vector<Unit> units;
    for (const int p : partitions_of(c_, said(j))) {
      std::vector<int> nodes = capable_nodes(c_, said(j), p);
      std::erase_if(nodes, [&](int n) {
        for (const Reserved& r : c_.reservations)
          if (r.floating >= 0 && has(r.nodes, n) && !open(j, r)) return true;
        return named(j) != nullptr && !has(named(j)->nodes, n);
      });
      const auto enough = static_cast<std::size_t>(said(j).nodes);
      for (const Reserved& r : c_.reservations) {  // those that are reserved for it first
        std::vector<int> first;
        for (const int n : nodes)
          if (entitled(j, r) && named(j) == nullptr && has(r.nodes, n)) first.push_back(n);
        if (first.size() >= enough) units.push_back({first, p});
      }
      if (nodes.size() >= enough) units.push_back({nodes, p});
    }
    return units;
  }

  // --- sizes of moldable jobs

  /// Those with which it can run, its own first.
  std::vector<Form> forms_of(int j) {
    const Job own = said(j);
    std::vector<Form> all;
    const auto add = [&](int nodes, int runtime, int limit) {
      Job& job = said_[static_cast<std::size_t>(j)];
      job.nodes = nodes, job.runtime = runtime, job.limit = limit;
      std::vector<Unit> units = too_long(j) ? std::vector<Unit>{} : units_of(j);
      if (!units.empty()) all.push_back({nodes, runtime, limit, std::move(units)});
      job = own;
    };
    add(own.nodes, own.runtime, own.limit);
    std::set<int> seen{own.nodes};
    for (const Size& s : own.sizes)
      if (seen.insert(s.nodes).second) add(s.nodes, s.runtime, s.runtime * (own.limit / own.runtime));
    return all;
  }
  void take_form(int j, std::size_t i) {
    const Form& form = forms(j)[i];
    Job& job = said_[static_cast<std::size_t>(j)];
    job.nodes = form.nodes, job.runtime = form.runtime, job.limit = form.limit;
    units_[static_cast<std::size_t>(j)] = form.units;
  }
  std::size_t form_of(int j) const {
    std::size_t i = 0;
    while (forms(j)[i].nodes != said(j).nodes) ++i;
    return i;
  }
  /// The size that it is to have in this pass: the largest that fits now, or that with which it would end first.
  std::size_t best_form(int j) {
    const std::size_t had = form_of(j);
    const bool by_room = c_.molding == Molding::kFitsNow;
    std::size_t best = by_room ? had : 0;
    Tick first = kNever;
    for (std::size_t i = 0; i != forms(j).size(); ++i) {
      take_form(j, i);
      const bool fits = by_room && choose(j, now_, now_ + planned(j)).found;
      const Tick t = by_room ? (fits ? now_ : kNever) : earliest(j, kNever);
      if (t == kNever) continue;
      const Tick end = by_room ? t : t + seconds(said(j).limit);
      const int nodes = forms(j)[i].nodes, least = forms(j)[best].nodes;
      if (end > first || (end == first && (by_room ? nodes <= least : nodes >= least))) continue;
      best = i;
      first = end;
    }
    take_form(j, had);
    return best;
  }

  /// It names one that is shorter.
  bool too_long(int j) const { return named(j) != nullptr && said(j).limit > named(j)->length; }
  bool hopeless(int j) const { return units_[static_cast<std::size_t>(j)].empty(); }

  /// No other job can be on its nodes: it says so, or needs all cores of any node of the machine, and no GPU.
  bool takes_all(int j) const {
    if (several(j)) return units_[static_cast<std::size_t>(j)].empty();
    const Ask& ask = said(j).ask;
    for (const Unit& u : units_[static_cast<std::size_t>(j)])
      if (rows_in(j, u.partition) > 1) return false;
    if (!ask.given || ask.exclusive || units_[static_cast<std::size_t>(j)].empty()) return true;
    return ask.gpus == 0 && std::all_of(c_.kinds.begin(), c_.kinds.end(),
                                        [&](const Kind& kind) { return kind.cores * 1000 == ask.cores; });
  }

  /// Whether some job may not have any of the nodes, or they are not all as fast, or jobs wait for licences, or
  /// something happens to some of them that is known.
  /// What is reserved for some on all nodes, and means the same for all jobs that can run, is a matter of a count.
  bool reservations_tell_apart() const {
    int first = -1;
    for (int j = 0; j != count(); ++j) {
      if (forms_[static_cast<std::size_t>(j)].empty() || too_long(j)) continue;
      if (named(j) != nullptr) return true;
      first = first < 0 ? j : first;
      for (const Reserved& r : c_.reservations)
        if (entitled(j, r) != entitled(first, r) || open(j, r) != open(first, r)) return true;
    }
    return std::any_of(c_.reservations.begin(), c_.reservations.end(),
                       [&](const Reserved& r) { return r.floating >= 0 || std::ssize(r.nodes) != machine(); });
  }
  bool tells_nodes_apart() const {
    int licences = 0, first = -1;
    for (int j = 0; j != count(); ++j) licences += said(j).ask.licences;
    if (licences > c_.licences || c_.contends || reservations_tell_apart()) return true;
    for (const Outage& o : c_.outages)
      if (o.kind == Away::kMaintenance && std::ssize(o.nodes) != machine()) return true;
    for (const Kind& kind : c_.kinds)
      if (kind.halves != 2) return true;
    for (const Partition& p : c_.partitions)
      if (p.tier != c_.partitions.front().tier) return true;
    for (const auto& of_job : forms_)
      for (const Form& form : of_job) {
        if (first < 0) first = form.units.front().partition + 1;
        if (form.units.front().partition + 1 != first) return true;
        for (const Unit& u : form.units)
          if (std::ssize(u.nodes) != machine()) return true;
      }
    return false;
  }

  /// The first of the nodes that no job can tell from this one.
  int first_alike(int n) const {
    for (int m = 0; m != n; ++m) {
      bool same = c_.kind_of(n).halves == c_.kind_of(m).halves;
      for (const auto& of_job : forms_)
        for (const Form& form : of_job)
          for (const Unit& u : form.units) same = same && has(u.nodes, n) == has(u.nodes, m);
      for (const Outage& o : c_.outages)
        if (o.kind == Away::kMaintenance) same = same && has(o.nodes, n) == has(o.nodes, m);
      for (const Reserved& r : c_.reservations) same = same && (r.floating >= 0 || has(r.nodes, n) == has(r.nodes, m));
      if (same) return m;
    }
    return n;
  }

  // --- cores that several jobs have
  /// The partition in which it runs, or is to run; of a job that is looked for a place, that in which it is. -1: there
  /// are none.
  int runs_in(int j) const {
    for (const Hold& h : holds_)
      if (h.job == j) return h.unit->partition;
    return looked_in_[static_cast<std::size_t>(j)];
  }
  /// So many jobs may have its cores where it runs in that partition, it included.
  int rows_in(int j, int p) const {
    if (p < 0 || (alone(j) && !said(j).ask.shares)) return 1;
    const Partition& its = c_.partitions[static_cast<std::size_t>(p)];
    return said(j).ask.shares || its.all_share ? its.oversubscribe : 1;
  }
  int rows(int j) const { return rows_in(j, runs_in(j)); }
  /// The partition where it runs, if that lets several jobs have a core, and the job is not one that never does; -1.
  int row_of(int j) const {
    if (alone(j) && !said(j).ask.shares) return -1;
    const int p = runs_in(j);
    return p >= 0 && c_.partitions[static_cast<std::size_t>(p)].oversubscribe > 1 ? p : -1;
  }
  bool alone(int j) const { return !said(j).ask.given || said(j).ask.exclusive; }

  /// Of a job with whole nodes, how many jobs have the node throughout [from, to), with this one there, too.
  int rows_with(int n, Tick from, Tick to) const {
    int most = 1;
    for (const Tick t : instants(from, to)) most = std::max(most, room(n, t).jobs + 1);
    return most;
  }

  // Where some job may share cores, each has cores by number: a job that shares is in one row of its partition on all
  // of its nodes, and jobs of one row have no core in common.
  static constexpr int kIdle = -1;        ///< cores of no job, instead of a row
  static constexpr int kOtherTiers = -2;  ///< cores of no job of its own tier

  /// The partition whose rows it is in; -1: it has no cores by number.
  int home(int j) const { return some_may_share() && !whole_ && !alone(j) ? runs_in(j) : -1; }
  bool some_may_share() const {
    for (int j = 0; j != count(); ++j)
      for (const int p : partitions_of(c_, said(j)))
        if (!alone(j) && rows_in(j, p) > 1) return true;
    return false;
  }
  int tier_of_home(int j) const { return c_.partitions[static_cast<std::size_t>(home(j))].tier; }
  bool has_rows(int j) const { return home(j) >= 0 && rows(j) > 1; }
  /// Whether it may not have the cores of that one in the row.
  bool bars(int j, int other, int others_row, int row) const {
    if (row == kIdle) return true;
    if (home(other) == home(j)) return row == kOtherTiers || others_row == row;
    return row == kOtherTiers && tier_of_home(other) == tier_of_home(j);
  }
  /// The cores that it may not have of the node at some time in [from, to) in that row.
  std::uint64_t taken(int j, int n, int row, Tick from, Tick to) const {
    std::uint64_t all = 0;
    for (const Hold& h : holds_) {
      if (h.job < 0 || home(h.job) < 0 || !meet(h.from, h.to, from, to)) continue;
      for (const Piece& piece : h.pieces)
        if (piece.node == n && bars(j, h.job, piece.row, row)) all |= piece.cores;
    }
    return all;
  }
  bool has_cores(int j, int n, int row, Tick from, Tick to) const {
    const int left = c_.kind_of(n).cores - std::popcount(taken(j, n, row, from, to));
    return left * 1000 >= said(j).ask.cores;
  }
  /// In the order in which it is looked for: idle cores, those of other tiers, then rows of which most is taken first.
  std::vector<int> rows_in_order(int j) const {
    std::vector<int> order{kIdle};
    if (!has_rows(j)) return order;
    for (const Partition& p : c_.partitions)
      if (p.tier != tier_of_home(j) && !has(order, kOtherTiers)) order.push_back(kOtherTiers);
    std::vector<int> many(static_cast<std::size_t>(rows(j)), 0);
    for (const Hold& h : holds_) {
      if (h.job < 0 || job(h.job).phase != Phase::kRunning || home(h.job) != home(j)) continue;
      for (const Piece& piece : h.pieces) many[static_cast<std::size_t>(piece.row)] += std::popcount(piece.cores);
    }
    std::vector<int> own;
    for (int row = 0; row != rows(j); ++row) own.push_back(row);
    std::stable_sort(own.begin(), own.end(), [&](int a, int b) {
      return many[static_cast<std::size_t>(a)] > many[static_cast<std::size_t>(b)];
    });
    order.insert(order.end(), own.begin(), own.end());
    return order;
  }
  /// The first row in which enough of the nodes have cores for it, and which these are; -3: none has.
  int first_row(int j, std::vector<int>& nodes, Tick from, Tick to) const {
    for (const int row : rows_in_order(j)) {
      std::vector<int> in_row;
      for (const int n : nodes)
        if (has_cores(j, n, row, from, to)) in_row.push_back(n);
      if (in_row.size() < static_cast<std::size_t>(said(j).nodes)) continue;
      nodes = in_row;
      return row;
    }
    return -3;
  }
  /// Gives it the lowest cores that are left in the row; of idle ones, in the first of its rows in which all are left.
  void number_cores(int j, int row, std::vector<Piece>& pieces, Tick from, Tick to) const {
    for (Piece& piece : pieces) {
      const std::uint64_t gone = taken(j, piece.node, row, from, to);
      const int count = (said(j).ask.cores + 999) / 1000;
      for (int core = 0; std::popcount(piece.cores) < count; ++core)
        if ((gone >> core & 1) == 0) piece.cores |= std::uint64_t{1} << core;
      piece.row = std::max(row, 0);
    }
    if (row >= 0 || !has_rows(j)) return;
    for (const int own : rows_in_order(j)) {
      if (own < 0) continue;
      bool left = true;
      for (const Piece& piece : pieces)
        for (const Hold& h : holds_)
          for (const Piece& other : h.pieces)
            left = left && !(h.job >= 0 && home(h.job) == home(j) && meet(h.from, h.to, from, to) &&
                             other.node == piece.node && other.row == own && (other.cores & piece.cores) != 0);
      if (!left) continue;
      for (Piece& piece : pieces) piece.row = own;
      return;
    }
  }
  /// A job of the partition has gone: its running jobs are put into rows anew, in the order of their first cores.
  void pack(int partition) {
    if (partition < 0 || c_.partitions[static_cast<std::size_t>(partition)].oversubscribe == 1) return;
    std::vector<Hold*> all;
    bool one_row = true;
    for (Hold& h : holds_) {
      if (h.job >= 0 && job(h.job).reserved) return;
      if (h.job < 0 || home(h.job) != partition) continue;
      all.push_back(&h);
      for (const Piece& piece : h.pieces) one_row = one_row && piece.row == all.front()->pieces.front().row;
    }
    if (one_row) return;
    const auto place = [](const Hold* h) {
      std::tuple<int, int, int, int> at{1'000'000, 0, 0, h->job};
      for (const Piece& piece : h->pieces) {
        std::get<2>(at) += std::popcount(piece.cores);
        if (piece.node < std::get<0>(at)) std::get<0>(at) = piece.node, std::get<1>(at) = std::countr_zero(piece.cores);
      }
      return at;
    };
    std::sort(all.begin(), all.end(), [&](const Hold* a, const Hold* b) { return place(a) < place(b); });
    std::vector<int> order, cores, into;
    std::vector<std::map<int, std::uint64_t>> rows;
    for (int row = 0; row != c_.partitions[static_cast<std::size_t>(partition)].oversubscribe; ++row) {
      order.push_back(row);
      cores.push_back(0);
      rows.emplace_back();
    }
    for (const Hold* h : all) {
      const auto row = std::find_if(order.begin(), order.end(), [&](int i) {
        return std::all_of(h->pieces.begin(), h->pieces.end(), [&](const Piece& piece) {
          return (rows[static_cast<std::size_t>(i)][piece.node] & piece.cores) == 0;
        });
      });
      if (row == order.end()) return;
      into.push_back(*row);
      for (const Piece& piece : h->pieces) {
        rows[static_cast<std::size_t>(*row)][piece.node] |= piece.cores;
        cores[static_cast<std::size_t>(*row)] += std::popcount(piece.cores);
      }
      std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return cores[static_cast<std::size_t>(a)] > cores[static_cast<std::size_t>(b)];
      });
    }
    for (std::size_t i = 0; i != all.size(); ++i)
      for (Piece& piece : all[i]->pieces) piece.row = into[i];
  }

  /// Jobs that let others have their cores and jobs that do not are on no node together, but for those of one
  /// partition: those that do not may come to the others where cores are idle.
  bool may_join(int j, int n, Tick from, Tick to) const {
    for (const Tick t : instants(from, to)) {
      if (rows(j) <= 1 && !alone(j) && home(j) < 0 && room(n, t).cores < said(j).ask.cores) return false;
      for (const Hold& h : holds_) {
        if (!at(h, t) || h.job < 0 || !on(h, n)) continue;
        if (rows(j) > 1 ? rows(h.job) <= 1 : row_of(h.job) >= 0 && row_of(h.job) != row_of(j)) return false;
      }
    }
    if (alone(j)) return rows(j) <= 1 || rows_with(n, from, to) <= rows(j);
    if (home(j) < 0) return true;
    const std::vector<int> order = rows_in_order(j);
    return std::any_of(order.begin(), order.end(), [&](int row) { return has_cores(j, n, row, from, to); });
  }

  /// Of whole nodes that it may share, those that as few as can be have; where it is to start now, those of the first
  /// running job that has as many.
  std::vector<int> least_shared(int j, const std::vector<int>& nodes, Tick from, Tick to) const {
    const auto enough = static_cast<std::size_t>(said(j).nodes);
    std::vector<int> few;
    int most = 0;
    while (few.size() < enough) {
      ++most;
      few.clear();
      for (const int n : nodes)
        if (rows_with(n, from, to) <= most) few.push_back(n);
    }
    if (most == 1 || from != now_ || c_.policy == Policy::kConservative) return few;
    for (int other = 0; other != count(); ++other) {
      const std::vector<int>& theirs = fates_[static_cast<std::size_t>(other)].nodes;
      if (job(other).phase == Phase::kRunning && theirs.size() == enough &&
          std::all_of(theirs.begin(), theirs.end(), [&](int n) { return has(few, n); }))
        return theirs;
    }
    return few;
  }

  // --- what is free

  static bool meet(Tick from, Tick to, Tick first, Tick last) { return from < last && first < to; }

  /// Whether what is planned keeps the job off the node at some time in [from, to).
  bool closed(int j, int n, Tick from, Tick to) const {
    for (const Outage& o : c_.outages)
      if (o.kind == Away::kMaintenance && begun_.count(&o) == 0 &&
          has(o.nodes, n) &&  // then its nodes go, or are drained
          meet(from, to, seconds(o.from), seconds(o.from + o.length)))
        return true;
    return reserved_for_others(j, n, from, to);
  }
  bool reserved_for_others(int j, int n, Tick from, Tick to) const {
    for (const Reserved& r : c_.reservations) {
      if (r.floating >= 0 || seconds(r.announced) > now_) continue;
      if (has(r.nodes, n) && !open(j, r) && meet(from, to, seconds(r.from), seconds(r.from + r.length))) return true;
    }
    const Reserved* const r = named(j);  // some time after its end there is no end to it: it is rejected before
    if (r == nullptr || from >= seconds(r->from + 2 * r->length)) return false;
    return from < seconds(r->from) || to > seconds(r->from + r->length);
  }

  /// All instants of [from, to) at which something begins to be held, and `from`.
  std::vector<Tick> instants(Tick from, Tick to) const {
    std::vector<Tick> all{from};
    for (const Hold& h : holds_)
      if (h.from > from && h.from < to) all.push_back(h.from);
    return all;
  }
  static bool at(const Hold& h, Tick t) { return h.from <= t && t < h.to; }

  Room room(int n, Tick t) const {
    const Kind& kind = c_.kind_of(n);
    Room room;
    room.cores = kind.cores * 1000;
    room.memory = kind.memory > 0 ? kind.memory : 1'000'000;
    room.gpus.assign(static_cast<std::size_t>(kind.gpus), 1000);
    for (const Hold& h : holds_) {
      if (!at(h, t)) continue;
      for (const Piece& piece : h.pieces) {
        if (piece.node != n) continue;
        ++room.jobs;
        const bool alone_there = h.job >= 0 && piece.component >= 0 ? asks_for(h.job, piece).exclusive
                                                                    : h.job < 0 || (alone(h.job) && rows(h.job) <= 1);
        if (alone_there) room.exclusive = true;
        if (h.job < 0 || !said(h.job).ask.given) continue;
        const Ask& ask = asks_for(h.job, piece);
        if (!ask.exclusive || rows(h.job) <= 1) room.cores -= ask.cores;
        room.memory -= ask.memory;
        for (std::size_t g = 0; g < room.gpus.size(); ++g)
          if ((piece.gpus >> g & 1) != 0) room.gpus[g] -= ask.share;
      }
    }
    return room;
  }

  /// The least of everything throughout [from, to).
  Room room(int n, Tick from, Tick to) const {
    Room least = room(n, from);
    for (const Tick t : instants(from, to)) {
      const Room now = room(n, t);
      least.cores = std::min(least.cores, now.cores);
      least.memory = std::min(least.memory, now.memory);
      for (std::size_t g = 0; g < least.gpus.size(); ++g) least.gpus[g] = std::min(least.gpus[g], now.gpus[g]);
      least.jobs = std::max(least.jobs, now.jobs);
      least.exclusive = least.exclusive || now.exclusive;
    }
    return least;
  }

  bool licences(int j, Tick from, Tick to) const {
    if (said(j).ask.licences == 0) return true;
    for (const Tick t : instants(from, to)) {
      int left = c_.licences;
      for (const Hold& h : holds_)
        if (at(h, t) && h.job >= 0) left -= said(h.job).ask.licences;
      if (left < said(j).ask.licences) return false;
    }
    return true;
  }

  static bool on(const Hold& h, int n) {
    return std::any_of(h.pieces.begin(), h.pieces.end(), [n](const Piece& p) { return p.node == n; });
  }

  bool fits_on(int j, int n, Tick from, Tick to) const {
    if (closed(j, n, from, to)) return false;
    const Room left = room(n, from, to);
    const Ask& ask = said(j).ask;
    if (left.exclusive || (alone(j) && rows(j) <= 1 && left.jobs != 0)) return false;
    if (!may_join(j, n, from, to)) return false;
    if (!ask.given) return true;
    if (left.memory < ask.memory) return false;
    return std::count_if(left.gpus.begin(), left.gpus.end(), [&](int g) { return g >= ask.share; }) >= ask.gpus;
  }

  std::vector<int> fitting(int j, const Unit& unit, Tick from, Tick to) const {
    std::vector<int> nodes;
    looked_in_[static_cast<std::size_t>(j)] = unit.partition;
    if (whole_) return whole_fitting(j, unit, from, to);
    for (const int n : unit.nodes)
      if (fits_on(j, n, from, to)) nodes.push_back(n);
    return nodes;
  }

  /// How many nodes of each class of a unit are free throughout [from, to).
  std::map<int, int> least_free(int j, const Unit& unit, Tick from, Tick to) const {
    std::map<int, int> size;
    for (const int n : unit.nodes) ++size[class_of(n)];
    std::map<int, int> least = size;
    std::vector<Tick> all = instants(from, to);
    const auto look_at = [&](int t) {
      if (seconds(t) > from && seconds(t) < to) all.push_back(seconds(t));
    };
    for (const Outage& o : c_.outages) look_at(o.from);
    for (const Reserved& r : c_.reservations) look_at(r.from), look_at(r.from + r.length);
    for (const Tick t : all) {
      std::map<int, int> free = size;
      for (const Hold& h : holds_)
        if (at(h, t))
          for (const Piece& piece : h.pieces)
            if (free.count(class_of(piece.node)) != 0) --free[class_of(piece.node)];
      for (const Outage& o : c_.outages)
        if (o.kind == Away::kMaintenance && begun_.count(&o) == 0 && seconds(o.from) <= t &&
            t < seconds(o.from + o.length))
          for (const int n : unit.nodes)
            if (has(o.nodes, n)) free[class_of(n)] = 0;  // who is on it then does not matter
      for (const int n : unit.nodes)
        if (reserved_for_others(j, n, t, t + 1)) free[class_of(n)] = 0;  // who is on it then does not matter
      for (auto& [c, n] : least) n = std::min(n, free[c]);
    }
    for (const int n : unit.nodes)
      if (closed(j, n, from, to)) least[class_of(n)] = std::min(0, least[class_of(n)]);
    return least;
  }
  /// Which of those that are alike does not matter.
  std::vector<int> whole_fitting(int j, const Unit& unit, Tick from, Tick to) const {
    std::map<int, int> least = least_free(j, unit, from, to);
    std::vector<int> nodes;
    for (const int n : unit.nodes)
      if (least[class_of(n)]-- > 0) nodes.push_back(n);
    return nodes;
  }

  /// A share of one GPU goes where it fits most tightly, anything else to the first ones.
  std::uint64_t gpus(int j, const Room& room) const {
    const Ask& ask = said(j).ask;
    std::uint64_t mask = 0;
    for (int k = 0; ask.given && k < ask.gpus; ++k) {
      int best = -1;
      for (int g = 0; g < static_cast<int>(room.gpus.size()); ++g) {
        const int left = room.gpus[static_cast<std::size_t>(g)];
        if ((mask >> g & 1) != 0 || left < ask.share) continue;
        const bool tight = ask.gpus == 1 && ask.share < 1000;
        if (best < 0 || (tight && left < room.gpus[static_cast<std::size_t>(best)])) best = g;
      }
      mask |= std::uint64_t{1} << best;
    }
    return mask;
  }

  std::vector<Piece> pieces(int j, std::vector<int> nodes, Tick from, Tick to) const {
    nodes.resize(static_cast<std::size_t>(said(j).nodes));
    std::vector<Piece> all;
    for (const int n : nodes) all.push_back({n, whole_ ? 0 : gpus(j, room(n, from, to))});
    return all;
  }

  /// Those of each component; first those that `first` says.
  template <class First>
  std::vector<std::vector<int>> lists_of(int j, const Unit& unit, Tick from, Tick to, First&& first) const {
    std::vector<std::vector<int>> lists;
    for (std::size_t i = 0; i != unit.components.size(); ++i) {
      const As one(*this, j, i);
      std::vector<int> nodes = fitting(j, unit.components[i], from, to), order, later;
      for (const int n : nodes) (first(unit.components[i], n) ? order : later).push_back(n);
      order.insert(order.end(), later.begin(), later.end());
      lists.push_back(order);
    }
    return lists;
  }
  std::vector<Piece> pieces_of(int j, const std::vector<std::vector<int>>& nodes, Tick from, Tick to) const {
    std::vector<Piece> all;
    for (std::size_t i = 0; i != nodes.size(); ++i) {
      const As one(*this, j, i);
      for (const int n : nodes[i]) all.push_back({n, gpus(j, room(n, from, to)), 0, 0, static_cast<int>(i)});
    }
    return all;
  }
  void shield_apart(int j, Tick t, Tick d) {
    for (const Unit& u : units_[static_cast<std::size_t>(j)]) {
      const auto gained = [&](const Unit& one, int n) { return !has(fitting(j, one, now_, now_ + 1), n); };
      const auto nodes = apart(said(j).components, lists_of(j, u, t, t + d, gained));
      if (nodes.empty()) continue;
      holds_.push_back({j, pieces_of(j, nodes, t, t + d), t, t + d, &u});
      return;
    }
  }
  Choice choose_apart(int j, Tick from, Tick to) const {
    for (const Unit& u : units_[static_cast<std::size_t>(j)]) {
      const auto any = [](const Unit&, int) { return true; };
      const auto nodes = apart(said(j).components, lists_of(j, u, from, to, any));
      if (!nodes.empty()) return {true, pieces_of(j, nodes, from, to), &u};
    }
    return {};
  }

  Choice choose(int j, Tick from, Tick to) const {
    if (!licences(j, from, to)) return {};
    if (several(j)) return choose_apart(j, from, to);
    for (const Unit& u : units_[static_cast<std::size_t>(j)]) {
      std::vector<int> nodes = fitting(j, u, from, to);
      if (nodes.size() < static_cast<std::size_t>(said(j).nodes)) continue;
      if (alone(j) && rows(j) > 1) nodes = least_shared(j, nodes, from, to);
      const int row = home(j) < 0 ? kIdle : first_row(j, nodes, from, to);
      if (row < kOtherTiers) continue;
      Choice chosen{true, pieces(j, nodes, from, to), &u};
      if (home(j) >= 0) number_cores(j, row, chosen.pieces, from, to);
      return chosen;
    }
    return {};
  }

  /// From t to `to` it holds what it is given there.
  void hold_place(int j, Tick t, Tick to) {
    const Choice place = choose(j, t, to);
    holds_.push_back({j, place.pieces, t, to, place.unit});
  }

  /// Instants after which more may be free than before, from now on.
  std::vector<Tick> changes() const {
    std::set<Tick> all{now_};
    for (const Hold& h : holds_) all.insert(h.to);
    for (const Outage& o : c_.outages)
      if (o.kind == Away::kMaintenance) all.insert(seconds(o.from + o.length));
    for (const Reserved& r : c_.reservations) {
      all.insert(seconds(r.from));
      all.insert(seconds(r.from + r.length));
      all.insert(seconds(r.from + 2 * r.length));
    }
    return {all.lower_bound(now_), all.end()};
  }

  /// The first instant before `before` at which it fits.
  Tick earliest(int j, Tick before) const {
    for (const Tick t : changes())
      if (t < before && choose(j, t, t + planned(j)).found) return t;
    return kNever;
  }

  // --- how long jobs take

  Tick with_checkpoints(int j, Tick work) const {
    const Tick left = std::max<Tick>(work - job(j).saved, 1), interval = seconds(c_.interval);
    if (interval == 0) return left;
    const Tick written = (left + interval - 1) / interval - 1;
    return left + written * seconds(c_.cost) + (job(j).saved > 0 ? seconds(c_.restart) : 0);
  }
  Tick limit(int j) const { return with_checkpoints(j, seconds(said(j).limit)); }
  /// For how long a scheduler holds nodes for it.
  virtual Tick planned(int j) const = 0;

  // --- what cannot be combined

  /// Whether what is held from `since` on leaves too little for some reservation.
  bool collides(const Hold& h, Tick since) const {
    for (const Hold& r : holds_) {
      if (r.job < 0 || !job(r.job).reserved || !meet(r.from, r.to, since, h.to)) continue;
      const Tick from = std::max(since, r.from), to = std::min(h.to, r.to);
      for (const Tick t : instants(from, to)) {
        if (h.job >= 0 && said(h.job).ask.licences > 0 && overdrawn(t)) return true;
        for (const Piece& piece : h.pieces)
          for (const Piece& other : r.pieces) {
            if (!whole_ && piece.node == other.node && too_full(piece.node, t)) return true;
            if (h.job >= 0 && piece.node == other.node && (piece.cores & other.cores) != 0 &&
                bars(r.job, h.job, piece.row, has_rows(r.job) ? other.row : kIdle))
              return true;
            if (whole_ && class_of(piece.node) == class_of(other.node) && too_many(class_of(piece.node), t))
              return true;
          }
      }
    }
    return false;
  }
  bool overdrawn(Tick t) const {
    int left = c_.licences;
    for (const Hold& h : holds_)
      if (at(h, t) && h.job >= 0) left -= said(h.job).ask.licences;
    return left < 0;
  }
  bool too_full(int n, Tick t) const {
    const Room there = room(n, t);
    for (const Hold& h : holds_) {
      if (!at(h, t) || h.job < 0 || !on(h, n) || rows(h.job) <= 1) continue;
      int cores = 0;
      for (const Hold& other : holds_)
        if (at(other, t) && other.job >= 0 && on(other, n) && row_of(other.job) == row_of(h.job))
          cores += said(other.job).ask.cores;
      if (alone(h.job) ? there.jobs > rows(h.job) : cores > rows(h.job) * c_.kind_of(n).cores * 1000) return true;
    }
    return (there.exclusive && there.jobs > 1) || there.cores < 0 || there.memory < 0 ||
           std::any_of(there.gpus.begin(), there.gpus.end(), [](int left) { return left < 0; });
  }
  bool too_many(int c, Tick t) const {
    int left = 0;
    for (int n = 0; n != c_.node_count(); ++n) left += class_of(n) == c;
    for (const Hold& h : holds_)
      if (at(h, t))
        for (const Piece& piece : h.pieces) left -= class_of(piece.node) == c;
    return left < 0;
  }

  const Case& c_;
  mutable std::vector<Job> said_;         ///< for As
  mutable std::vector<int> looked_in_;    ///< by job: the partition in which it was last looked for a place
  std::vector<std::vector<Form>> forms_;  ///< by job: several of a moldable one, none of one that can never run
  std::vector<Progress> jobs_;
  std::vector<Fate> fates_;
  std::vector<NodeState> nodes_;
  std::vector<std::vector<Unit>> units_;
  std::vector<int> class_of_;
  bool whole_ = true;
  Tick now_ = 0;
  std::vector<Hold> holds_;
  std::set<const Outage*> begun_;
};

}  // namespace coslice::loop

#include "availability/whole_node_availability.h"

#include "machine/placement.h"

namespace coslice {

/// With fewer steps than this, bounds on their runs cost more than the searches that they spare.
static constexpr std::size_t kLongProfile = 2048;

/// Adds a window to those in order, and puts together those that meet. Most come in order: a window that repeats for a
/// year costs no more for each time than one that does not.
static void add_window(std::deque<TimeWindow>& windows, TimeWindow w) {
  if (w.from >= w.to) return;
  const auto first = std::ranges::lower_bound(windows, w.from, {}, &TimeWindow::to);
  auto last = first;
  for (; last != windows.end() && last->from <= w.to; ++last) {
    w.from = std::min(w.from, last->from);
    w.to = std::max(w.to, last->to);
  }
  if (first == windows.end()) windows.push_back(w);
  else if (first != last) *first = w, windows.erase(std::next(first), last);
  else windows.insert(first, w);
}

bool WholeNodeAvailability::serves(const JobDemands& demands, const Placement* placement) {
  if (!demands.whole_nodes()) return false;
  // Which GPUs a job gets says the placement, too.
  if (placement != nullptr && (placement->may_decline() || demands.gpus_asked())) return false;
  const std::vector<std::int32_t>& scarce = demands.scarce_licences();
  return std::ranges::all_of(scarce, [&](std::int32_t l) {
    return demands.layout().licences[static_cast<std::size_t>(l)].count <= std::numeric_limits<std::int32_t>::max() / 2;
  });
}

WholeNodeAvailability::WholeNodeAvailability(const JobDemands& demands, Placement* placement,
                                             const Occupancy& occupancy, Time start)
    : NodeAvailability(demands, start), placement_(placement), occupancy_(&occupancy) {
  assert(serves(demands, placement));
  if (placement != nullptr) pool_.emplace(demands.layout());
  for (const std::int32_t l : demands.scarce_licences()) {
    const auto count = static_cast<std::int32_t>(demands.layout().licences[static_cast<std::size_t>(l)].count);
    countables_.push_back({count, count});
  }
  find_atoms();
  find_wanted();
  make_profiles();
  count_idle();
}

void WholeNodeAvailability::demands_added() {
  find_wanted();
  if (unions_.size() != demands_->node_sets().size()) reservations_changed();
  find_alike();
}

/// Of units that are new.
void WholeNodeAvailability::find_wanted() {
  const std::vector<std::int32_t>& scarce = demands_->scarce_licences();
  for (std::size_t u = wanted_.size(); u != demands_->units().size(); ++u) {
    const DemandUnit& unit = demands_->units()[u];
    const Request& r = demands_->request_of(unit);
    Wanted& wanted = wanted_.emplace_back(Wanted{r.nodes, unit.nodes, {}});
    for (const LicenceUse& use : r.licences) {
      const auto at = std::ranges::find(scarce, use.licence);
      if (at == scarce.end()) continue;
      wanted.countables.push_back(
          {static_cast<std::int32_t>(sizes_.size()) + static_cast<std::int32_t>(at - scarce.begin()),
           static_cast<std::int32_t>(use.count)});
    }
  }
}

/// Splits the machine along each set of nodes that matters, and where speeds differ.
void WholeNodeAvailability::find_atoms() {
  const std::vector<NodeSet>& sets = demands_->node_sets();
  const auto count = static_cast<std::size_t>(demands_->layout().node_count());
  atom_of_.assign(count, 0);
  std::int32_t atoms = 1;
  const auto split = [&](auto&& property) {
    std::map<std::pair<std::int32_t, double>, std::int32_t> parts;
    for (std::size_t n = 0; n != count; ++n) {
      const auto [it, added] =
          parts.try_emplace({atom_of_[n], property(static_cast<NodeId>(n))}, static_cast<std::int32_t>(parts.size()));
      atom_of_[n] = it->second;
    }
    atoms = static_cast<std::int32_t>(parts.size());
  };
  split([&](NodeId n) { return demands_->layout().kind_of(n).speed; });
  for (const std::vector<NodeSet>* apart : {&sets, &demands_->distinguished()})
    for (const NodeSet& set : *apart) split([&](NodeId n) { return set.contains(n) ? 1.0 : 0.0; });
  atoms_.assign(static_cast<std::size_t>(atoms), NodeSet(static_cast<std::int32_t>(count)));
  for (std::size_t n = 0; n != count; ++n) atoms_[static_cast<std::size_t>(atom_of_[n])].insert(static_cast<NodeId>(n));
  for (const NodeSet& atom : atoms_) {
    sizes_.push_back(atom.count());
    first_nodes_.push_back(atom.lowest(1).ranges().front().first);
  }
  idle_ = sizes_;
  idle_from_ = first_nodes_;
  given_back_.assign(sizes_.size() + countables_.size(), 1);
  closure_times_.resize(sizes_.size());
}

void WholeNodeAvailability::advance(Time now) {
  now_ = now;
  for (Profile& p : profiles_) {
    p.advance(now);
    // Thousands of repeated windows lie ahead.
    if (p.steps() > kLongProfile) p.bound_runs(true);
    else if (p.steps() < kLongProfile / 2) p.bound_runs(false);
  }
}

/// Counts again what is idle in each union, and beside the shielded job.
void WholeNodeAvailability::count_idle() {
  most_free_ = 0;
  for (Union& u : unions_) {
    u.idle = u.beside_shield = 0;
    for (const std::int32_t a : u.atoms) {
      u.idle += idle_[static_cast<std::size_t>(a)];
      if (shadow_ != kNever) u.beside_shield += left_idle(a);
    }
    most_free_ = std::max(most_free_, u.idle);
  }
}

/// Takes (sign 1) or gives back (-1) what a job or a node that is not there has. While an atom is planned to be away,
/// nothing of it is left whatever is on it, so that this does not count.
void WholeNodeAvailability::change(const Shares& shares, Time from, Time to, std::int32_t sign) {
  if (closures_.empty()) return count(shares, from, to, sign);
  Shares open;
  for (const Share& s : shares) {
    const auto* const planned = planned_times(s.atom);
    if (planned == nullptr) open.push_back(s);
    else each_part_outside(*planned, from, to, [&](Time begin, Time end) { count({s}, begin, end, sign); });
  }
  count(open, from, to, sign);
}

/// When the atom is planned to be away; null: never, or it is a countable.
const std::deque<TimeWindow>* WholeNodeAvailability::planned_times(std::int32_t atom) const {
  if (is_countable(atom)) return nullptr;
  const std::deque<TimeWindow>& planned = closure_times_[static_cast<std::size_t>(atom)];
  return planned.empty() ? nullptr : &planned;
}

void WholeNodeAvailability::count(const Shares& shares, Time from, Time to, std::int32_t sign) {
  from = std::max(from, now_);
  const auto apply = [&](Counted there, std::int32_t n) {
    Profile& p = profiles_[static_cast<std::size_t>(there.profile)];
    const auto part = [&](Time begin, Time end) {
      if (sign > 0) p.overdraw(begin, end, n);
      else p.release(begin, end, n);
    };
    if (there.closed < 0) part(from, to);
    else each_part_outside(closed_times_[static_cast<std::size_t>(there.closed)], from, to, part);
  };
  if (to <= from) return;
  boost::container::small_vector<std::pair<Counted, std::int32_t>, 8> sums;  // a union's atoms at once
  for (const Share& s : shares) {
    apply({s.atom, -1}, s.count);
    for (const Counted& p : profiles_of_[static_cast<std::size_t>(s.atom)]) {
      const auto at = std::ranges::find_if(sums, [&](const auto& sum) { return sum.first == p; });
      if (at == sums.end()) sums.push_back({p, s.count});
      else at->second += s.count;
    }
  }
  for (const auto& [p, n] : sums) apply(p, n);
}

bool WholeNodeAvailability::fits_now(const Ask& a) {
  if (ceiling_ <= 0) return false;
  const Time end = later(now_, a.duration);
  for (const std::int32_t unit : demands_->demand(a.job)) {
    const Union& u = union_of(unit);
    const std::int32_t n = wanted(unit).nodes;
    if (u.idle < n) continue;
    const bool beside = beside_shield(end);
    if ((beside && u.beside_shield < n) || !countables_left(unit, beside)) continue;
    if (never_falls() || !shares_now(unit, end).empty()) return true;
  }
  return false;
}

/// Whether they are left now for the unit; `beside`: also when the shielded job starts.
bool WholeNodeAvailability::countables_left(std::int32_t unit, bool beside) const {
  const Shares& asked = wanted(unit).countables;
  return std::ranges::all_of(asked, [&](const Share& s) {
    const auto a = static_cast<std::size_t>(s.atom);
    return s.count <= countables_[a - sizes_.size()].left && (!beside || s.count <= left_[a]);
  });
}

/// Takes (sign 1) or gives back (-1) what is idle or left now.
void WholeNodeAvailability::take_now(const Shares& shares, std::int32_t sign) {
  for (const Share& s : shares) {
    const auto a = static_cast<std::size_t>(s.atom);
    (is_countable(s.atom) ? countables_[a - sizes_.size()].left : idle_[a]) -= sign * s.count;
    if (!is_countable(s.atom)) used_nodes_ += sign * s.count;
  }
}

/// The nodes that the unit asks for, of its i-th atom as many as free(i) says, and its countables; empty: nodes are too
/// few.
template <class F>
WholeNodeAvailability::Shares WholeNodeAvailability::gather(std::int32_t unit, F&& free) const {
  Shares shares;
  std::int32_t left = wanted(unit).nodes;
  const Union& u = union_of(unit);
  for (std::size_t i = 0; i != u.atoms.size() && left != 0; ++i) {
    const std::int32_t n = std::min(left, free(i));
    if (n <= 0) continue;
    shares.push_back({u.atoms[i], n});
    left -= n;
  }
  const Shares& asked = wanted(unit).countables;
  if (left != 0) shares.clear();  // the one that every path returns is not moved
  else shares.insert(shares.end(), asked.begin(), asked.end());
  return shares;
}

/// What of each atom and countable the job would have in [t, end); empty: they are not enough.
WholeNodeAvailability::Shares WholeNodeAvailability::shares_at(std::int32_t unit, Time t, Time end) const {
  const auto least = [&](std::int32_t p) { return profiles_[static_cast<std::size_t>(p)].min_free(t, end); };
  Shares shares = gather(unit, [&](std::size_t i) { return least(union_of(unit).profiles[i]); });
  const Shares& asked = wanted(unit).countables;
  if (!shares.empty() && !std::ranges::all_of(asked, [&](const Share& s) { return least(s.atom) >= s.count; }))
    shares.clear();
  return shares;
}

/// The same from now on.
WholeNodeAvailability::Shares WholeNodeAvailability::shares_now(std::int32_t unit, Time end) const {
  if (reservations_ != 0) return shares_at(unit, now_, end);
  const bool beside = beside_shield(end);
  if (!countables_left(unit, beside)) return {};
  const Union& u = union_of(unit);
  return gather(unit, [&](std::size_t i) {
    const std::int32_t idle = beside ? left_idle(u.atoms[i]) : idle_[static_cast<std::size_t>(u.atoms[i])];
    if (planned_ == 0) return idle;
    return std::min(idle, profiles_[static_cast<std::size_t>(u.profiles[i])].min_free(now_, end));
  });
}

// As long as the nodes of all atoms together are too few, there is no need to look at each. Where they are enough at
// each instant, but not the same ones throughout, some atom must come to offer more than it does now.
Time WholeNodeAvailability::earliest_nodes(std::int32_t unit, Duration d, Time after, Time before) const {
  const Union& u = union_of(unit);
  const std::int32_t n = wanted(unit).nodes;
  Time t = profiles_[static_cast<std::size_t>(u.profile)].earliest_before(n, d, after, before);
  if (u.atoms.size() == 1) return t;
  assert(before == kNever);
  while (t != kNever) {
    std::int32_t sum = 0;
    Time next = kNever;
    for (const std::int32_t profile : u.profiles) {
      const Profile& p = profiles_[static_cast<std::size_t>(profile)];
      const std::int32_t free = p.min_free(t, later(t, d));
      sum += free;
      if (free < p.capacity()) next = std::min(next, p.earliest(free + 1, d, t));
    }
    if (sum >= n) return t;
    if (next == kNever) return kNever;
    t = profiles_[static_cast<std::size_t>(u.profile)].earliest(n, d, next);
  }
  return t;
}

/// Nodes and countables take turns to say the next instant, until all agree. `before`, where there is one atom: when
/// the job is reserved, as Profile::earliest_before says.
Time WholeNodeAvailability::earliest_of(std::int32_t unit, Duration d, Time after, Time before) const {
  Time t = earliest_nodes(unit, d, after, before);
  while (t != kNever) {
    Time last = t;
    for (const Share& s : wanted(unit).countables)
      if (last != kNever) last = profiles_[static_cast<std::size_t>(s.atom)].earliest_before(s.count, d, last, before);
    if (last == t) return t;
    t = last == kNever ? kNever : earliest_nodes(unit, d, last, before);
  }
  return t;
}

/// Jobs that were asked in the last walk in vain can move up only where something was given back since it began.
bool WholeNodeAvailability::may_move_up(const Demand& demand) const {
  for (const std::int32_t unit : demand) {
    for (const std::int32_t a : union_of(unit).atoms)
      if (gained(a)) return true;
    for (const Share& s : wanted(unit).countables)
      if (gained(s.atom)) return true;
  }
  return false;
}

Time WholeNodeAvailability::earlier(const Ask& a, Time old) {
  const Alike& alike = alike_to(a.job);
  const bool simple = alike.unit >= 0 && !alike.countables;
  if (walking_ && !(simple ? gained(alike.atom) : may_move_up(demands_->demand(a.job)))) return kNever;
  if (simple)
    return profiles_[static_cast<std::size_t>(alike.profile)].earliest_before(alike.nodes, a.duration, now_, old);
  if (alike.unit >= 0) return earliest_of(alike.unit, a.duration, now_, old);
  const Holding& own = held(a.hold);
  change(own.shares, own.from, own.to, -1);
  const Time t = earliest(a, now_);
  change(own.shares, own.from, own.to, 1);
  return t < old ? t : kNever;
}

HoldId WholeNodeAvailability::reserve(const Ask& a, Time t, ReservationKeeps) {
  const Time end = later(t, a.duration);
  for (const std::int32_t unit : demands_->demand(a.job)) {
    Shares shares = shares_at(unit, t, end);
    if (shares.empty()) continue;
    change(shares, t, end, 1);
    if (walking_) ++changes_;
    else note_given_back(shares);  // it need not be the earliest place
    ++reservations_;
    return keep({std::move(shares), unit, t, end, true});
  }
  assert(false);
  return kNoHold;
}

/// What is reserved is free again.
void WholeNodeAvailability::give_back(HoldId hold) {
  const Holding& own = held(hold);
  change(own.shares, own.from, own.to, -1);
  --reservations_;
  forget(hold);
}

/// Of one atom the job takes as much wherever it goes: only what differs is touched.
HoldId WholeNodeAvailability::move(const Ask& a, Time old, Time t, ReservationKeeps keeps) {
  if (t >= old || alike_to(a.job).unit < 0) return Availability::move(a, old, t, keeps);
  Holding& own = held(a.hold);
  const Time end = later(t, a.duration);
  change(own.shares, t, std::min(old, end), 1);
  change(own.shares, std::max(old, end), own.to, -1);
  own.from = t;
  own.to = end;
  note_given_back(own.shares);
  return a.hold;
}

Time WholeNodeAvailability::shield(const Ask& a) {
  assert(reservations_ == 0);
  shielded_unit_ = -1;
  shadow_ = kNever;
  for (const std::int32_t unit : demands_->demand(a.job)) {
    // Nothing but started jobs is in the profile: counts do not fall, and the first instant at which they are enough is
    // it. What is planned may take some in between.
    const Time t = planned_ != 0 || !countables_.empty()
                       ? earliest_in(unit, a.duration, now_)
                       : profiles_[static_cast<std::size_t>(union_of(unit).profile)].earliest(wanted(unit).nodes,
                                                                                              a.duration, now_);
    if (t < shadow_) {
      shadow_ = t;
      shielded_unit_ = unit;
    }
  }
  left_ = left_by_shielded();
  count_idle();
  return shadow_;
}

/// By atom, what the shielded job leaves at shadow_ if its nodes are chosen now: of each atom first those that are not
/// idle yet.
std::vector<std::int32_t> WholeNodeAvailability::left_by_shielded() const {
  std::vector<std::int32_t> left(sizes_.size() + countables_.size(), 0);
  for (std::size_t a = 0; a != left.size(); ++a) left[a] = profiles_[a].free_at(shadow_);
  if (shielded_unit_ < 0) return left;
  for (const Share& s : wanted(shielded_unit_).countables) left[static_cast<std::size_t>(s.atom)] -= s.count;
  std::int32_t open = wanted(shielded_unit_).nodes;
  const Union& u = union_of(shielded_unit_);
  const auto take = [&](std::size_t i, bool keep_idle) {
    const auto a = static_cast<std::size_t>(u.atoms[i]);
    std::int32_t most = left[a] - (keep_idle ? idle_[a] : 0);
    if (u.profiles[i] != u.atoms[i])  // closed to it at times
      most = std::min(most, profiles_[static_cast<std::size_t>(u.profiles[i])].free_at(shadow_));
    const std::int32_t taken = std::min(open, std::max(0, most));
    left[a] -= taken;
    open -= taken;
  };
  for (std::size_t i = 0; i != u.atoms.size(); ++i) take(i, true);
  for (std::size_t i = 0; i != u.atoms.size(); ++i) take(i, false);
  return left;
}

/// Of nodes that no request distinguishes, what is left over is a number.
EasyHole WholeNodeAvailability::hole(const Ask& a) {
  EasyHole hole = Availability::hole(a);
  const Profile& free = profiles_.front();  // of the only atom
  if (sizes_.size() == 1 && countables_.empty() && hole.shadow != kNever)
    hole.extra = free.min_free(hole.shadow, later(hole.shadow, a.duration)) - a.nodes;
  return hole;
}

// Jobs that have started beside it leave when it can start, and in which unit, as they were. What it leaves is another
// choice only where it may have nodes of several atoms.
bool WholeNodeAvailability::would_leave_more() const {
  if (shielded_unit_ < 0 || union_of(shielded_unit_).atoms.size() == 1) return false;
  const std::vector<std::int32_t> left = left_by_shielded();
  return std::ranges::any_of(unions_, [&](const Union& u) {
    std::int32_t beside = 0;
    for (const std::int32_t a : u.atoms) {
      const auto atom = static_cast<std::size_t>(a);
      beside += std::min(idle_[atom], left[atom]);
    }
    return beside > u.beside_shield;
  });
}

HoldId WholeNodeAvailability::keep(Holding&& holding) {
  if (spare_.empty()) {
    holdings_.push_back(std::move(holding));
    return static_cast<HoldId>(holdings_.size() - 1);
  }
  const HoldId hold = spare_.back();
  spare_.pop_back();
  held(hold) = std::move(holding);
  return hold;
}

void WholeNodeAvailability::forget(HoldId hold) {
  Holding& own = held(hold);
  own.shares.clear();
  own.waits = false;  // else a copy without reservations would give it back once more
  spare_.push_back(hold);
}

void WholeNodeAvailability::start(StartedJob& job, bool reserved) {
  ++changes_;
  if (reserved) {
    held(job.hold).waits = false;
    --reservations_;
  } else {
    Holding holding{{}, -1, now_, job.expected_end};
    for (const std::int32_t unit : demands_->demand(job.index)) {
      holding.shares = shares_now(unit, job.expected_end);
      holding.unit = unit;
      if (!holding.shares.empty()) break;
    }
    assert(!holding.shares.empty());
    change(holding.shares, now_, job.expected_end, 1);
    job.hold = keep(std::move(holding));
  }
  Holding& holding = held(job.hold);
  job.nodes = placement_ == nullptr ? take_lowest(holding.shares) : take_ranked(job.index, holding, job.expected_end);
  if (beside_shield(job.expected_end))
    for (const Share& s : holding.shares) left_[static_cast<std::size_t>(s.atom)] -= s.count;
  take_now(holding.shares, 1);
  job.unit = holding.unit;
  count_idle();
}

NodeRanges WholeNodeAvailability::take_lowest(const Shares& shares) {
  const auto lowest = [&](const Share& s) {
    const auto a = static_cast<std::size_t>(s.atom);
    NodeRanges nodes = occupancy_->idle().lowest(s.count, atoms_[a], idle_from_[a]);
    idle_from_[a] = nodes.ranges().back().last;
    return nodes;
  };
  if (in_one_atom(shares)) return lowest(shares[0]);
  std::vector<NodeRange> ranges;
  for (const Share& s : shares) {
    if (is_countable(s.atom)) break;
    const NodeRanges nodes = lowest(s);
    ranges.insert(ranges.end(), nodes.ranges().begin(), nodes.ranges().end());
  }
  std::ranges::sort(ranges, {}, &NodeRange::first);
  NodeRanges all;
  for (const NodeRange& r : ranges) all.append(r.first, r.last);
  return all;
}

/// The placement chooses among all idle nodes of the unit; where it takes more of an atom than may be had for so long,
/// it chooses again among those that it took there and the other atoms' nodes.
NodeRanges WholeNodeAvailability::take_ranked(JobIndex j, Holding& holding, Time end) {
  const Request& r = demands_->request_of(holding.unit);
  change(holding.shares, now_, end, -1);
  const Union& u = union_of(holding.unit);
  const bool beside = beside_shield(end);
  std::vector<std::int32_t> most(sizes_.size());
  NodeSet fitting(demands_->layout().node_count());
  for (std::size_t i = 0; i != u.atoms.size(); ++i) {
    const auto a = static_cast<std::size_t>(u.atoms[i]);
    const std::int32_t stays =
        never_falls() ? idle_[a] : profiles_[static_cast<std::size_t>(u.profiles[i])].min_free(now_, end);
    most[a] = std::max(0, std::min(stays, beside ? left_idle(u.atoms[i]) : idle_[a]));
    if (most[a] > 0) fitting |= atoms_[a];
  }
  fitting &= occupancy_->idle();
  Parts parts;
  for (bool again = true; again;) {
    again = false;
    [[maybe_unused]] const bool chosen = placement_->choose(j, r, *pool_, fitting, parts);
    assert(chosen);
    std::vector<std::int32_t> taken(sizes_.size());
    for (const NodePart& p : parts) {
      const auto a = static_cast<std::size_t>(atom_of_[static_cast<std::size_t>(p.node)]);
      if (++taken[a] == most[a] + 1) {  // from here on only those
        again = true;
        fitting -= atoms_[a];
      }
    }
    if (!again) break;
    std::vector<std::int32_t> kept(sizes_.size());
    for (const NodePart& p : parts) {
      const auto a = static_cast<std::size_t>(atom_of_[static_cast<std::size_t>(p.node)]);
      if (taken[a] > most[a] && kept[a]++ < most[a]) fitting.insert(p.node);
    }
  }
  const NodeRanges ranges = nodes_in(parts);
  Shares shares = shares_of(ranges);
  for (const Share& s : holding.shares)
    if (is_countable(s.atom)) shares.push_back(s);
  holding.shares = std::move(shares);
  change(holding.shares, now_, end, 1);
  return ranges;
}

WholeNodeAvailability::Shares WholeNodeAvailability::shares_of(const NodeRanges& nodes) const {
  std::map<std::int32_t, std::int32_t> counts;
  for_each_node(nodes, [&](NodeId n) { ++counts[atom_of_[static_cast<std::size_t>(n)]]; });
  Shares shares;
  for (const auto& [atom, count] : counts) shares.push_back({atom, count});
  return shares;
}

void WholeNodeAvailability::close(const NodeRanges& nodes, Time from, Time to, [[maybe_unused]] std::int32_t access) {
  assert(access == kEveryAccess);
  ++planned_;
  const Shares shares = shares_of(nodes);
  closures_.insert(std::ranges::upper_bound(closures_, from, {}, &Closure::from), {from, to, shares});
  for (const Share& s : shares) {
    count_closure(s, from, to, 1);
    add_window(closure_times_[static_cast<std::size_t>(s.atom)], {from, to});
  }
}

void WholeNodeAvailability::reopen(const NodeRanges& nodes, Time from, Time to, std::int32_t) {
  --planned_;
  const Shares shares = shares_of(nodes);
  const auto first = std::ranges::lower_bound(closures_, from, {}, &Closure::from);
  closures_.erase(std::find(first, closures_.end(), Closure{from, to, shares}));
  for (const Share& s : shares) {
    forget_window(s, from, to);
    count_closure(s, from, to, -1);
  }
  note_given_back(shares);
}

/// The atom is away in [from, to) only where it is in other closures.
void WholeNodeAvailability::forget_window(const Share& atom, Time from, Time to) {
  if (from >= to) return;
  std::deque<TimeWindow>& planned = closure_times_[static_cast<std::size_t>(atom.atom)];
  const auto around = std::ranges::upper_bound(planned, from, {}, &TimeWindow::to);
  const TimeWindow whole = *around;
  planned.erase(around);
  add_window(planned, {whole.from, from});
  add_window(planned, {to, whole.to});
  for (const Closure& other : closures_) {
    if (other.from >= to) break;
    if (other.to > from && std::ranges::find(other.shares, atom) != other.shares.end())
      add_window(planned, {std::max(from, other.from), std::min(to, other.to)});
  }
}

/// The atom is away (sign 1) at these times, beside other closures, or is not any more (-1): what is held of it does
/// not count then.
void WholeNodeAvailability::count_closure(const Share& atom, Time from, Time to, std::int32_t sign) {
  const auto at = static_cast<std::size_t>(atom.atom);
  each_part_outside(closure_times_[at], from, to, [&](Time begin, Time end) {
    count({atom}, begin, end, sign);
    for (const Holding& held : holdings_)
      for (const Share& s : held.shares)
        if (s.atom == atom.atom) count({s}, std::max(begin, held.from), std::min(end, held.to), -sign);
  });
}

void WholeNodeAvailability::take_down(StartedJob& down) {
  ++changes_;
  const NodeId n = down.nodes.ranges().front().first;
  const std::int32_t atom = atom_of_[static_cast<std::size_t>(n)];
  down.hold = keep({{{atom, 1}}, -1, now_, now_});
  take_now(held(down.hold).shares, 1);
  count_idle();
}

void WholeNodeAvailability::finish(StartedJob& job) {
  const Holding& own = held(job.hold);
  change(own.shares, now_, job.expected_end, -1);
  note_given_back(own.shares);
  take_now(own.shares, -1);
  for (const Share& s : own.shares) {
    if (is_countable(s.atom)) continue;
    for (const std::int32_t u : unions_of_[static_cast<std::size_t>(s.atom)])
      most_free_ = std::max(most_free_, unions_[static_cast<std::size_t>(u)].idle += s.count);
    NodeId& from = idle_from_[static_cast<std::size_t>(s.atom)];
    const bool kept = job.held > job.node_count;  // nodes beside its own
    from = std::min(from, kept ? first_nodes_[static_cast<std::size_t>(s.atom)] : job.nodes.ranges().front().first);
  }
  forget(job.hold);
}

bool WholeNodeAvailability::room_to_hold(const StartedJob& job, Time end) const {
  const Shares& shares = held(job.hold).shares;
  const auto room = [&](const Share& s, Time from, Time to) {
    bool all = true;
    const auto look = [&](Time first, Time last) {
      all = all && profiles_[static_cast<std::size_t>(s.atom)].min_free(first, last) >= s.count;
    };
    if (const auto* const planned = planned_times(s.atom)) each_part_outside(*planned, from, to, look);
    else look(from, to);
    return all;
  };
  if (std::ranges::all_of(shares, [&](const Share& s) { return room(s, job.expected_end, end); })) return true;
  // What is planned does not give way: only a reservation can, where it meets the job.
  return std::ranges::none_of(holdings_, [&](const Holding& other) {
    const Time from = std::max(job.expected_end, other.from), to = std::min(end, other.to);
    return other.waits && from < to && std::ranges::any_of(shares, [&](const Share& s) {
             const auto same = [&](const Share& o) { return o.atom == s.atom; };
             return std::ranges::any_of(other.shares, same) && !room(s, from, to);
           });
  });
}

void WholeNodeAvailability::hold(const StartedJob& job, Time end) {
  Holding& own = held(job.hold);
  own.to = end;
  note_given_back(own.shares);
  if (end < job.expected_end) change(own.shares, end, job.expected_end, -1);
  else change(own.shares, job.expected_end, end, 1);
}

std::unique_ptr<Availability> WholeNodeAvailability::without_reservations(const StartedJobs&) const {
  auto ledger = std::make_unique<WholeNodeAvailability>(*this);
  for (std::size_t i = 0; i != holdings_.size(); ++i)
    if (holdings_[i].waits) ledger->give_back(static_cast<HoldId>(i));
  return ledger;
}

/// What the job holds beside its own nodes.
WholeNodeAvailability::Shares WholeNodeAvailability::kept_for(const StartedJob& job) const {
  Shares kept;
  if (job.held <= job.node_count) return kept;
  const Shares its = shares_of(job.nodes);
  for (Share s : held(job.hold).shares) {
    if (is_countable(s.atom)) continue;
    if (const auto own = std::ranges::find(its, s.atom, &Share::atom); own != its.end()) s.count -= own->count;
    if (s.count > 0) kept.push_back(s);
  }
  return kept;
}

/// How many nodes of the i-th atom of its union the job could have until `end` beside its own, those that are kept for
/// it included.
std::int32_t WholeNodeAvailability::left_beside(const StartedJob& job, std::size_t i, const Shares& kept, Time end,
                                                Kept how) const {
  const Union& u = union_of(job.unit);
  const Profile& profile = profiles_[static_cast<std::size_t>(u.profiles[i])];
  const auto its = std::ranges::find(kept, u.atoms[i], &Share::atom);
  const std::int32_t own = its == kept.end() ? 0 : its->count;
  end = std::max(end, later(now_, Duration{1}));
  const Time until = own == 0 ? end : std::clamp(job.expected_end, now_, end);
  std::int32_t others = idle_[static_cast<std::size_t>(u.atoms[i])];  // beside those that are kept
  if (until > now_) others = std::min(others, profile.min_free(now_, until));
  if (end > until) others = std::min(others, profile.min_free(until, end) - own);
  return std::max(own + others, how == Kept::kStays ? own : 0);
}

bool WholeNodeAvailability::has_nodes(const StartedJob& job, std::int32_t nodes, Time end, Kept how) const {
  const Shares kept = kept_for(job);
  std::int32_t more = nodes - job.node_count;
  for (std::size_t i = 0; i != union_of(job.unit).atoms.size() && more > 0; ++i)
    more -= left_beside(job, i, kept, end, how);
  return more <= 0;
}

/// The lowest nodes of each atom in turn, as they stand in the union.
NodeRanges WholeNodeAvailability::more_nodes(const StartedJob& job, const NodeRanges& kept, std::int32_t more,
                                             Time end) {
  const Union& u = union_of(job.unit);
  const Shares shares = kept_for(job);
  NodeSet left = occupancy_->idle(), found(demands_->layout().node_count());
  left.insert(kept);
  for (std::size_t i = 0; i != u.atoms.size() && more > 0; ++i) {
    const std::int32_t n = std::min(more, left_beside(job, i, shares, end, Kept::kStays));
    if (n <= 0) continue;
    found.insert(left.lowest(n, atoms_[static_cast<std::size_t>(u.atoms[i])], 0));
    more -= n;
  }
  assert(more == 0);
  return found.ranges();
}

bool WholeNodeAvailability::room_for_nodes(const StartedJob& job, const NodeRanges& nodes, Time end) {
  const Time held_until = std::max(job.expected_end, now_), both = std::min(end, held_until);
  const Shares& own = held(job.hold).shares;
  const auto least = [&](const Share& s, Time from, Time to) {
    return from < to ? profiles_[static_cast<std::size_t>(s.atom)].min_free(from, to) : s.count;
  };
  const auto has = [&](const Share& s) {
    const auto its = std::ranges::find(own, s.atom, &Share::atom);
    return its == own.end() ? 0 : its->count;
  };
  const auto goes_on = [&](const Share& s) { return !is_countable(s.atom) || least(s, held_until, end) >= s.count; };
  return std::ranges::all_of(own, goes_on) && std::ranges::all_of(shares_of(nodes), [&](const Share& s) {
           return least(s, now_, both) >= s.count - has(s) && least(s, held_until, end) >= s.count;
         });
}

void WholeNodeAvailability::resize(StartedJob& job, const NodeRanges& nodes, Time end) {
  ++changes_;
  Holding& own = held(job.hold);
  change(own.shares, now_, job.expected_end, -1);
  note_given_back(own.shares);
  take_now(own.shares, -1);
  Shares shares = shares_of(nodes);
  for (const Share& s : own.shares) {
    if (is_countable(s.atom)) {
      shares.push_back(s);
      continue;
    }
    NodeId& from = idle_from_[static_cast<std::size_t>(s.atom)];
    from = std::min(from, first_nodes_[static_cast<std::size_t>(s.atom)]);
  }
  own.shares = std::move(shares);
  own.unit = job.unit;
  own.to = end;
  change(own.shares, now_, end, 1);
  take_now(own.shares, 1);
  count_idle();
}

/// The profiles of each atom, of sets of atoms, and of what is closed at times to some jobs, where there is nothing on
/// nodes.
void WholeNodeAvailability::make_profiles() {
  const std::size_t atoms = sizes_.size();
  profiles_.clear();
  closed_times_.clear();
  unions_.clear();
  for (const std::int32_t size : sizes_) profiles_.emplace_back(size, now_);
  for (const Countable& c : countables_) profiles_.emplace_back(c.count, now_);
  profiles_of_.assign(atoms + countables_.size(), {});
  unions_of_.assign(atoms, {});
  std::map<std::pair<std::int32_t, std::int32_t>, Counted> own;  // by access and atom
  const auto counted = [&](std::int32_t access, std::int32_t atom) {
    const auto [it, added] = own.try_emplace({access, atom}, Counted{atom, closed_in(access, atom)});
    if (!added || it->second.closed < 0) return it->second;
    it->second.profile = new_profile(sizes_[static_cast<std::size_t>(atom)]);
    count_in(it->second, atom);
    return it->second;
  };
  const std::vector<NodeSet>& sets = demands_->node_sets();
  for (std::size_t s = 0; s != sets.size(); ++s) {
    Union u{{}, {}, 0, 0, 0};
    std::vector<Counted> parts;
    for (std::size_t a = 0; a != atoms; ++a) {
      if (!sets[s].contains(first_nodes_[a])) continue;
      u.atoms.push_back(static_cast<std::int32_t>(a));
      parts.push_back(counted(demands_->access_of_sets()[s], u.atoms.back()));
      u.profiles.push_back(parts.back().profile);
      unions_of_[a].push_back(static_cast<std::int32_t>(unions_.size()));
    }
    u.profile = u.profiles.front();
    if (u.atoms.size() > 1) {
      u.profile = new_profile(sets[s].count());
      for (std::size_t i = 0; i != u.atoms.size(); ++i) count_in({u.profile, parts[i].closed}, u.atoms[i]);
    }
    unions_.push_back(std::move(u));
  }
  alike_.clear();
  find_alike();
}

/// Of demands that are new.
void WholeNodeAvailability::find_alike() {
  for (std::size_t d = alike_.size(); d != demands_->demands().size(); ++d) {
    const Demand& demand = demands_->demands()[d];
    Alike& alike = alike_.emplace_back();
    if (demand.size() != 1 || union_of(demand[0]).atoms.size() != 1) continue;
    const Union& u = union_of(demand[0]);
    alike = {demand[0], wanted(demand[0]).nodes, u.atoms[0], u.profile, !wanted(demand[0]).countables.empty()};
  }
}

/// What is taken of the atom counts there, too. When it is closed there, all of it is taken.
void WholeNodeAvailability::count_in(Counted there, std::int32_t atom) {
  const auto a = static_cast<std::size_t>(atom);
  profiles_of_[a].push_back(there);
  if (there.closed < 0) return;
  for (const TimeWindow& w : closed_times_[static_cast<std::size_t>(there.closed)])
    profiles_[static_cast<std::size_t>(there.profile)].overdraw(std::max(w.from, now_), w.to, sizes_[a]);
}

/// When the atom is closed to jobs with that access: into closed_times_, or -1.
std::int32_t WholeNodeAvailability::closed_in(std::int32_t access, std::int32_t atom) {
  if (in_effect_.empty()) return -1;
  TimeWindows closed = closed_times(access, first_nodes_[static_cast<std::size_t>(atom)]);
  if (closed.empty() || closed.back().to <= now_) return -1;
  closed_times_.push_back(std::move(closed));
  return static_cast<std::int32_t>(closed_times_.size()) - 1;
}

void WholeNodeAvailability::reservations_changed() {
  assert(reservations_ == 0);
  make_profiles();
  for (const Holding& own : holdings_) change(own.shares, now_, own.to, 1);
  for (std::size_t a = 0; a != sizes_.size(); ++a)
    for (const TimeWindow& w : closure_times_[a]) count({{static_cast<std::int32_t>(a), sizes_[a]}}, w.from, w.to, 1);
  given_back_.assign(sizes_.size() + countables_.size(), ++changes_);
  count_idle();
}

/// The nodes that the unit would have until `end`, idle ones first, and lent ones; both empty if they are not enough.
std::pair<NodeRanges, NodeRanges> WholeNodeAvailability::nodes_over(std::int32_t unit, Time end,
                                                                    const NodeSet& lent) const {
  const Union& u = union_of(unit);
  std::int32_t left = wanted(unit).nodes;
  NodeRanges own, borrowed;
  for (std::size_t i = 0; i != u.atoms.size(); ++i) {
    const auto a = static_cast<std::size_t>(u.atoms[i]);
    const std::int32_t stays = profiles_[static_cast<std::size_t>(u.profiles[i])].min_free(now_, end);
    const std::int32_t n = std::clamp(stays, 0, std::min(left, idle_[a]));
    own = together(own, occupancy_->idle().lowest(n, atoms_[a], idle_from_[a]));
    left -= n;
  }
  for (std::size_t i = 0; i != u.atoms.size() && left > 0; ++i) {
    const std::int32_t atom = u.atoms[i];
    const auto behind = std::ranges::lower_bound(closures_, end, {}, &Closure::from);
    const bool planned = std::any_of(closures_.begin(), behind, [&](const Closure& p) {
      return now_ < p.to && std::ranges::any_of(p.shares, [&](const Share& s) { return s.atom == atom; });
    });
    if (planned || u.profiles[i] != atom) continue;  // the node is down for a time, or closed to the job at times
    NodeSet here = lent;
    here &= atoms_[static_cast<std::size_t>(atom)];
    const std::int32_t n = std::min(left, here.count());
    borrowed = together(borrowed, here.lowest(n));
    left -= n;
  }
  if (left > 0) return {};
  return {own, borrowed};
}

bool WholeNodeAvailability::fits_over(const Ask& a, const NodeRanges& lent) const {
  assert(reservations_ == 0);
  const NodeSet nodes(demands_->layout().node_count(), lent);
  return std::ranges::any_of(demands_->demand(a.job), [&](std::int32_t unit) {
    const auto [own, borrowed] = nodes_over(unit, later(now_, a.duration), nodes);
    return !own.empty() || !borrowed.empty();
  });
}

void WholeNodeAvailability::start_over(StartedJob& job, const NodeRanges& lent) {
  ++changes_;
  const NodeSet nodes(demands_->layout().node_count(), lent);
  for (const std::int32_t unit : demands_->demand(job.index)) {
    const auto [own, borrowed] = nodes_over(unit, job.expected_end, nodes);
    if (own.empty() && borrowed.empty()) continue;
    Holding holding{shares_of(own), unit, now_, job.expected_end, false, borrowed};
    change(holding.shares, now_, job.expected_end, 1);
    take_now(holding.shares, 1);
    job.nodes = together(own, borrowed);
    job.unit = unit;
    job.held = own.count();
    job.hold = keep(std::move(holding));
    count_idle();
    return;
  }
  assert(false);
}

void WholeNodeAvailability::keep_lent(StartedJob& job, const NodeRanges& nodes) {
  ++changes_;
  Holding& holding = held(job.hold);
  holding.lent = without(holding.lent, nodes);
  holding.shares = shares_of(without(job.nodes, holding.lent));
  const Shares kept = shares_of(nodes);
  change(kept, now_, job.expected_end, 1);
  take_now(kept, 1);
  count_idle();
}

}  // namespace coslice

#include "availability/shared_node_availability.h"

#include "availability/group_allocation.h"
#include "core/work_count.h"

namespace coslice {

SharedNodeAvailability::SharedNodeAvailability(const JobDemands& demands, Placement* placement, Time start)
    : NodeAvailability(demands, start), placement_(placement != nullptr ? placement : &first_fit_),
      pool_(demands.layout()), both_(pool_), after_(pool_), window_(pool_),
      window_stamps_(static_cast<std::size_t>(demands.layout().node_count())), fits_now_(pool_), fits_both_(both_),
      shielded_(demands.layout().node_count()) {
  first_closure_ = first_closed(closures_);
}

void SharedNodeAvailability::advance(Time now) {
  if (now != now_) ++changes_;
  now_ = now;
  for (NodeTimelines& line : lines_) line.advance(now);
}

void SharedNodeAvailability::make_lines() {
  lines_.assign(demands_->accesses().size(), NodeTimelines(demands_->layout(), now_));
  for (const auto& [job, held] : started_)
    for (NodeTimelines& line : lines_) line.take(request(held), held.parts, now_, held.to);
  take_plans_in_lines();
  if (in_effect_.empty() || windows_ignored_) return;
  for (std::size_t access = 0; access != lines_.size(); ++access)
    for (NodeId n = 0; n != demands_->layout().node_count(); ++n)
      lines_[access].take_all(request(JobDemands::kWholeNode), {{n, 0}},
                              closed_times(static_cast<std::int32_t>(access), n));
}

/// Those for the same nodes at once.
void SharedNodeAvailability::take_plans_in_lines() {
  std::map<std::pair<std::int32_t, NodeId>, std::vector<std::pair<const Parts*, TimeWindows>>> by_nodes;
  for (const Closure& closure : closures_) {
    auto& alike = by_nodes[{closure.access, closure.parts.empty() ? 0 : closure.parts.front().node}];
    auto at = std::ranges::find_if(alike, [&](const auto& x) { return *x.first == closure.parts; });
    if (at == alike.end()) at = alike.insert(at, {&closure.parts, {}});
    at->second.push_back({closure.from, closure.to});
  }
  for (auto& [key, alike] : by_nodes)
    for (auto& of_nodes : alike) {
      TimeWindows& windows = of_nodes.second;
      std::ranges::sort(windows, {}, &TimeWindow::from);
      each_line_of(key.first, [&](NodeTimelines& line) {
        line.take_all(request(JobDemands::kWholeNode), *of_nodes.first, windows);
      });
    }
}

bool SharedNodeAvailability::fits_now(const Ask& a) {
  if (ceiling_ <= 0) return false;
  const Time end = later(now_, a.duration);
  const bool same_directive = directive_ == nullptr ? !chosen_.directive : chosen_.directive == *directive_;
  if (chosen_.job == a.job && chosen_.stamp == changes_ && chosen_.end == end &&
      chosen_.others == placement_->changes() && same_directive)
    return true;
  for (const std::int32_t unit : demands_->demand(a.job)) {
    if (directive_ != nullptr && !directive_->admits(demands_->unit(unit).partition)) continue;
    if (!(reserved_.empty() ? choose_now(a.job, unit, end) : choose_beside_reservations(a.job, unit, end))) continue;
    chosen_ = {a.job, end, changes_, placement_->changes(), {}, unit, std::move(chosen_.parts)};
    if (directive_ != nullptr) chosen_.directive = *directive_;
    return true;
  }
  chosen_.job = kNoJob;
  return false;
}

namespace {

/// Of nodes on which a job fits, and cores of which it would share, those on which the fewest jobs would have a core.
struct LeastShared {
  NodeSet nodes;
  std::int32_t rows = 1;  ///< most jobs on a core, the job itself included
};

/// As few that there are enough of them. Precondition: it fits on enough of these nodes.
LeastShared least_shared(const Request& r, const NodePool& pool, const NodeSet& fitting) {
  LeastShared out{NodeSet(fitting.size()), 1};
  for (;; ++out.rows) {
    fitting.for_each([&](NodeId n) {
      if (rows_with(r, pool.room(n)) == out.rows) out.nodes.insert(n);
    });
    if (out.nodes.count() >= r.nodes || out.rows >= r.rows) return out;
  }
}

}  // namespace

/// By the placement, or the first ones where it declines.
void SharedNodeAvailability::choose_any(JobIndex j, const Request& r, const NodePool& pool, const NodeSet& fitting,
                                        Parts& out) {
  if (!placement_->choose(j, r, pool, fitting, out)) first_fit_.choose(j, r, pool, fitting, out);
  take_what_is_left(r, pool, out);
}

void SharedNodeAvailability::choose_later(JobIndex j, const Request& r, const Left& left, const NodeSet& fitting,
                                          Parts& out) {
  if (r.exclusive && r.rows > 1) return choose_any(j, r, left.pool, least_shared(r, left.pool, fitting).nodes, out);
  choose_in_row(r, left, fitting, out, [&](const NodePool& pool, const NodeSet& nodes) {
    choose_any(j, r, pool, nodes, out);
    return true;
  });
}

/// The first row of those in which the job is looked for a place that has enough nodes. `among(pool, nodes)` chooses
/// among these, and says whether it did; the pool says what is left in that row. A job that shares no cores has any.
template <class F>
bool SharedNodeAvailability::choose_in_row(const Request& r, const Left& left, const NodeSet& fitting, Parts& out,
                                           F&& among) {
  if (!r.numbered || r.exclusive) return among(left.pool, fitting);
  const std::vector<std::int32_t> rows = rows_in_order(r, left.running);
  for (const std::int32_t row : rows) {
    NodeSet nodes(fitting.size());
    fitting.for_each([&](NodeId n) {
      if (cores_left(r, left.pool.room(n), row) >= r.cores) nodes.insert(n);
    });
    if (nodes.count() < r.nodes) continue;
    const NodePool& in_row = row == kIdleCores ? left.pool : left_in_row(r, left.pool, row, nodes);
    if (lacks_cores(r, in_row, nodes)) continue;
    if (!among(in_row, nodes)) return false;
    number_cores(r, left.pool, row, rows, out);
    return true;
  }
  return false;
}

const NodePool& SharedNodeAvailability::left_in_row(const Request& r, const NodePool& pool, std::int32_t row,
                                                    const NodeSet& nodes) {
  if (!in_row_) in_row_.emplace(demands_->layout());
  nodes.for_each([&](NodeId n) {
    NodeRoom room = pool.room(n);
    room.cores = cores_left(r, room, row);
    in_row_->copy_node(n, pool);
    in_row_->set_room(n, room);
  });
  return *in_row_;
}

/// A job that shares whole nodes has those of the first started job, in order of submission, that has as many and all
/// of them there.
bool SharedNodeAvailability::choose_mate(const Request& r, const NodeSet& nodes) {
  JobIndex mate = kNoJob;
  for (const auto& [job, held] : started_) {
    if (std::ssize(held.parts) != r.nodes || (mate != kNoJob && mate < job)) continue;
    if (std::ranges::all_of(held.parts, [&](const NodePart& p) { return nodes.contains(p.node); })) mate = job;
  }
  if (mate == kNoJob) return false;
  chosen_.parts.clear();
  for (const NodePart& part : started_.at(mate).parts)
    chosen_.parts.push_back({part.node, fitting_gpus(r, pool_.room(part.node))});
  return true;
}

bool SharedNodeAvailability::choose(JobIndex j, const Request& r, const NodePool& pool, const NodeSet& fitting) {
  if (!r.exclusive || r.rows <= 1)
    return choose_in_row(r, {pool, pool_}, directive_ == nullptr ? fitting : directive_->open(fitting), chosen_.parts,
                         [&](const NodePool& left, const NodeSet& nodes) { return choose_among(j, r, left, nodes); });
  const LeastShared least = least_shared(r, pool, directive_ == nullptr ? fitting : directive_->open(fitting));
  const bool by_placement = directive_ == nullptr || directive_->by_placement();
  if (r.exclusive && least.rows > 1 && by_placement && choose_mate(r, least.nodes)) return true;
  return choose_among(j, r, pool, least.nodes);
}

bool SharedNodeAvailability::choose_among(JobIndex j, const Request& r, const NodePool& pool, const NodeSet& fitting) {
  if (directive_ == nullptr) return choose_by(*placement_, j, r, pool, fitting, chosen_.parts);
  const NodeSet open = directive_->open(fitting);
  if (open.count() < r.nodes) return false;
  if (directive_->by_placement()) return choose_by(*placement_, j, r, pool, open, chosen_.parts);
  DirectedPlacement placement(*directive_);
  return choose_by(placement, j, r, pool, open, chosen_.parts);
}

bool SharedNodeAvailability::choose_by(Placement& placement, JobIndex j, const Request& r, const NodePool& pool,
                                       const NodeSet& fitting, Parts& out) {
  const bool chosen = starts_ == nullptr ? placement.choose(j, r, pool, fitting, out)
                                         : starts_->choose_by(placement, j, r, pool, fitting, out);
  if (chosen) take_what_is_left(r, pool, out);
  return chosen;
}

NodeSet SharedNodeAvailability::open_between(std::int32_t unit, Time from, Time to, Time& opens) const {
  NodeSet open = nodes(unit);
  if (to <= first_closure_) return open;
  const std::int32_t access = demands_->access(unit);
  for (const Closure& closure : closures_) {
    if (closure.from >= to) break;
    if (closure.to <= from || (closure.access != kEveryAccess && closure.access != access)) continue;
    const NodeRanges closed = nodes_in(closure.parts);
    if (open.intersects(closed)) opens = std::min(opens, closure.to);
    open.erase(closed);
  }
  if (in_effect_.empty() || windows_ignored_) return open;
  for (const ClosedAlike& alike : closed_alike(access)) {  // their times are in order, and do not meet
    const auto first = std::ranges::upper_bound(alike.times, from, {}, &TimeWindow::to);
    if (first == alike.times.end() || first->from >= to) continue;
    const std::int32_t before = open.count();
    open -= alike.nodes;
    if (open.count() != before) opens = std::min(opens, first->to);
  }
  return open;
}

const std::vector<SharedNodeAvailability::ClosedAlike>&
SharedNodeAvailability::closed_alike(std::int32_t access) const {
  const auto [at, is_new] = closed_.try_emplace(access);
  if (!is_new) return at->second;
  std::map<std::vector<std::pair<Time, Time>>, std::size_t> known;
  for (NodeId n = 0; n != demands_->layout().node_count(); ++n) {
    TimeWindows times = closed_times(access, n);
    if (times.empty()) continue;
    std::vector<std::pair<Time, Time>> key;
    for (const TimeWindow& w : times) key.emplace_back(w.from, w.to);
    const auto [found, first] = known.try_emplace(std::move(key), at->second.size());
    if (first) at->second.push_back({NodeSet(demands_->layout().node_count()), std::move(times)});
    at->second[found->second].nodes.insert(n);
  }
  return at->second;
}

bool SharedNodeAvailability::place_group(const GroupAsk& ask, std::vector<JobAllocation>& out) {
  return ceiling_ > 0 && GroupAllocation(*this, ask).find(out);
}

std::int32_t SharedNodeAvailability::most_fitting_now() {
  std::int32_t most = 0;
  for (std::int32_t unit = 0; unit != std::ssize(demands_->units()); ++unit) {
    const Request& r = request(unit);
    if (has_components(r) || r.spread.cores != 0) return most_free();
    most = std::max(most, fitting_now(unit).count());
  }
  return most;
}

/// Where many wait, those that need more nodes than fit any request are passed over by blocks.
Availability::Position SharedNodeAvailability::next_passing(const WaitingQueue& queue, Position from, Position stop) {
  constexpr std::size_t kMany = 4;  // jobs for each unit that is asked
  constexpr std::uint64_t kAsked = 15;
  check_looks();
  const bool many = from < stop && stop - from > kMany * demands_->units().size();
  const std::int32_t most = many ? most_fitting_now() : most_free();
  Position p = queue.next_fitting(from, most);
  std::uint64_t asked = many ? demands_->units().size() : 0;
  for (; p < stop && !fits_now({queue.job(p), queue.nodes(p), queue.duration(p)}); ++asked)
    p = queue.next_fitting(p + 1, most);
  count_looks(kAsked * asked);
  return p;
}

bool SharedNodeAvailability::choose_now(JobIndex j, std::int32_t unit, Time end) {
  const Request& r = request(unit);
  if (has_components(r)) return choose_components_now(j, unit, end);
  const bool beside = beside_shield(end);
  const NodeSet& fitting = fitting_beside_shield(unit, end);
  if (fitting.count() < r.nodes || !pool_.has_licences(r) || (beside && !after_.has_licences(r))) return false;
  if (end <= first_closure_) return choose(j, r, beside ? both_ : pool_, fitting);
  const NodeSet open = lines(unit).fitting(r, fitting, now_, end);
  if (open.count() < r.nodes) return false;
  window_pool(unit, open, now_, end);
  if (beside) meet_beside_shield(open);
  return choose(j, r, window_, open);
}

void SharedNodeAvailability::meet_beside_shield(const NodeSet& nodes) {
  nodes.for_each([&](NodeId n) {
    NodeRoom room = window_.room(n);
    meet(room, both_.room(n));
    window_.set_room(n, room);
  });
}

/// The nodes of all sets.
static NodeSet together(const std::vector<NodeSet>& sets) {
  NodeSet any = sets.front();
  for (const NodeSet& s : sets) any |= s;
  return any;
}

bool SharedNodeAvailability::choose_beside_reservations(JobIndex j, std::int32_t unit, Time end) {
  const Request& r = request(unit);
  if (has_components(r)) {
    if (!has_nodes_now(unit) || !lines(unit).has_licences(r, now_, end)) return false;
    std::vector<NodeSet> each = fitting_apart(unit, now_, end);
    const NodePool& pool = window_pool(unit, together(each), now_, end);
    return choose_components(j, unit, pool, std::move(each));
  }
  if (fitting_now(unit).count() < r.nodes) return false;
  const NodeSet fitting = lines(unit).fitting(r, nodes(unit), now_, end);
  return fitting.count() >= r.nodes && choose(j, r, window_pool(unit, fitting, now_, end), fitting);
}

/// What is left on these nodes throughout [from, to).
const NodePool& SharedNodeAvailability::window_pool(std::int32_t unit, const NodeSet& fitting, Time from, Time to) {
  lines(unit).for_each_room(fitting, from, to, [&](NodeId n, const NodeRoom& room) {
    std::uint64_t& stamp = window_stamps_[static_cast<std::size_t>(n)];
    if (stamp != pool_.stamp(n)) window_.copy_node(n, pool_);
    stamp = pool_.stamp(n);
    window_.set_room(n, room);
  });
  return window_;
}

/// Walks along the queue ask it for many jobs that ask alike, and only reserve meanwhile.
Time SharedNodeAvailability::earliest_in(std::int32_t unit, Duration d, Time after) {
  NodeTimelines& line = lines(unit);
  const auto [at, is_new] = found_.try_emplace({unit, d}, Found{after, after});
  Found& known = at->second;
  const bool covered = !is_new && known.asked <= after;
  const Time from = covered ? std::max(after, known.found) : after;
  const auto search = [&] {
    if (!has_components(request(unit))) return line.earliest(request(unit), nodes(unit), d, from);
    std::vector<const NodeSet*> each;
    for (const std::int32_t c : components(unit)) each.push_back(&nodes(c));
    return line.earliest_apart(request(unit), each, d, from);
  };
  const Time t = from == kNever ? kNever : search();
  if (covered && after <= known.found) known.found = t;
  else known = {after, t};
  return t;
}

Time SharedNodeAvailability::earlier(const Ask& a, Time old) {
  const Holding& own = reserved_.at(a.job);
  give_in_lines(own);
  const Time t = earliest(a, now_);
  take_in_lines(own);
  return t < old ? t : kNever;
}

/// Of those nodes that are to come first as many as it needs, and others where these are too few.
template <class F>
void SharedNodeAvailability::choose_first(JobIndex j, const Request& r, const Left& left, const NodeSet& fitting,
                                          F&& first, Parts& out) {
  choose_in_row(r, left, fitting, out, [&](const NodePool& pool, const NodeSet& nodes) {
    NodeSet before(nodes.size());
    nodes.for_each([&](NodeId n) {
      if (first(n)) before.insert(n);
    });
    const auto choose = [&](const Request& some, const NodeSet& of, Parts& parts) {
      choose_any(j, some, pool, r.exclusive && r.rows > 1 ? least_shared(some, pool, of).nodes : of, parts);
      return true;
    };
    if (before.count() >= r.nodes && !lacks_cores(r, pool, before)) return choose(r, before, out);
    if (r.spread.cores != 0) return choose(r, nodes, out);
    Request some = r;
    some.nodes = before.count();
    if (some.nodes != 0) choose(some, before, out);
    some.nodes = r.nodes - some.nodes;
    NodeSet others = nodes;
    others -= before;
    Parts rest;
    choose(some, others, rest);
    out.insert(out.end(), rest.begin(), rest.end());
    return true;
  });
}

/// `choose` chooses the nodes of a unit.
template <class F>
void SharedNodeAvailability::reserve_on(const Ask& a, Time t, ReservationKeeps keeps, F&& choose) {
  const Time end = later(t, a.duration);
  for (const std::int32_t unit : demands_->demand(a.job)) {
    const Request& r = request(unit);
    Holding held{{}, unit, t, end};
    if (has_components(r)) {
      if (!fits_in(unit, t, end)) continue;
      std::vector<NodeSet> each = fitting_apart(unit, t, end);
      const NodePool& pool = window_pool(unit, together(each), t, end);
      choose_apart(r, std::move(each), held.parts, [&](std::size_t i, const NodeSet& nodes, Parts& out) {
        choose(components(unit)[i], pool, nodes, out);
        return true;
      });
    } else {
      const NodeSet fitting = lines(unit).fitting(r, nodes(unit), t, end);
      if (fitting.count() < r.nodes) continue;
      const NodePool& pool = window_pool(unit, fitting, t, end);
      if (lacks_together(r, pool, fitting)) continue;
      choose(unit, pool, fitting, held.parts);
    }
    if (keeps == ReservationKeeps::kWholeNodes) {
      held.unit = JobDemands::kWholeNode;
      for (NodePart& part : held.parts) part = {part.node};
    }
    for (NodePart& part : held.parts) part.promised = t > now_;  // else it comes now, before others do
    take_in_lines(held);
    reserved_[a.job] = std::move(held);
    ++changes_;
    return;
  }
  assert(false);
}

HoldId SharedNodeAvailability::reserve(const Ask& a, Time t, ReservationKeeps keeps) {
  const auto busy = [&](NodeId n) { return pool_.room(n).jobs != 0; };
  const auto choose = [&](std::int32_t unit, const NodePool& pool, const NodeSet& fitting, Parts& out) {
    if (prefer_busy_ && t > now_) choose_first(a.job, request(unit), {pool, pool_}, fitting, busy, out);
    else choose_later(a.job, request(unit), {pool, pool_}, fitting, out);
  };
  reserve_on(a, t, keeps, choose);
  return kNoHold;
}

void SharedNodeAvailability::unreserve(JobIndex j) {
  const auto it = reserved_.find(j);
  give_in_lines(it->second);
  reserved_.erase(it);
  ++changes_;
}

/// The nodes on which it fits now, by number.
std::vector<NodeId> SharedNodeAvailability::fits_already(std::int32_t unit, Wants wants) {
  std::vector<NodeId> all;
  for_each_node(fitting_now(unit).ranges(), [&](NodeId n) {
    if (wants == Wants::kRoom || pool_.room(n).jobs == 0) all.push_back(n);
  });
  return all;
}

/// The nodes on which it fits in after_.
NodeSet SharedNodeAvailability::fits_then(std::int32_t unit, Wants wants) const {
  NodeSet all(nodes(unit).size());
  nodes(unit).for_each([&](NodeId n) {
    if (would_fit(unit, n, wants)) all.insert(n);
  });
  return all;
}

/// Gives back in after_ what started jobs hold, in order of their expected ends, until one of the units fits: the first
/// of those that do, or -1. `fits_later`, by unit: nodes on which it does not fit now, but then.
std::int32_t SharedNodeAvailability::free_ends_until_it_fits(const Demand& demand, Wants wants,
                                                             std::vector<std::vector<NodeId>>& fits_later) {
  fits_later.resize(demand.size());
  std::vector<std::int32_t> fit;
  for (const std::int32_t unit : demand) {
    if (has_components(request(unit))) fit.push_back(0);  // asked of after_ itself
    else if (wants == Wants::kRoom) fit.push_back(fitting_now(unit).count());
    else fit.push_back(static_cast<std::int32_t>(fits_already(unit, wants).size()));
  }
  shadow_ = now_;
  for (auto end = ends_.begin();;) {
    for (std::size_t i = 0; i != demand.size(); ++i) {
      const Request& r = request(demand[i]);
      if (has_components(r)) {
        if (fits_in_after(demand[i], wants)) return static_cast<std::int32_t>(i);
        continue;
      }
      if (fit[i] + static_cast<std::int32_t>(fits_later[i].size()) >= r.nodes && after_.has_licences(r) &&
          (!needs_together(r) || !lacks_together(r, after_, fits_then(demand[i], wants))))
        return static_cast<std::int32_t>(i);
    }
    if (end == ends_.end()) return -1;
    for (shadow_ = end->first; end != ends_.end() && end->first == shadow_; ++end) {
      const Holding& held = started_.at(end->second);
      std::vector<std::pair<std::size_t, NodeId>> too_small;  // a unit, and a node on which it does not fit yet
      for (const NodePart& part : held.parts) {
        touched_.push_back(part.node);
        for (std::size_t i = 0; i != demand.size(); ++i)
          if (!has_components(request(demand[i])) && !would_fit(demand[i], part.node, wants))
            too_small.emplace_back(i, part.node);
      }
      after_.give(request(held), held.parts);
      for (const auto& [i, n] : too_small)
        if (would_fit(demand[i], n, wants)) fits_later[i].push_back(n);
    }
  }
}

/// Of each component first those on which it does not fit now.
Parts SharedNodeAvailability::shielded_components(std::int32_t unit, Wants wants) {
  Parts parts;
  choose_apart(request(unit), fits_apart_then(unit, wants), parts,
               [&](std::size_t i, const NodeSet& nodes, Parts& chosen) {
                 const std::int32_t c = components(unit)[i];
                 const Request& r = request(c);
                 NodeSet now(nodes.size());
                 for (const NodeId n : fits_already(c, wants)) now.insert(n);
                 choose_in_row(r, {after_, pool_}, nodes, chosen, [&](const NodePool& pool, const NodeSet& left) {
                   chosen.clear();
                   for (const bool already : {false, true})
                     left.for_each([&](NodeId n) {
                       if (now.contains(n) == already && std::ssize(chosen) < r.nodes)
                         chosen.push_back({n, fitting_gpus(r, pool.room(n))});
                     });
                   take_what_is_left(r, pool, chosen);
                   return true;
                 });
                 return true;
               });
  for (NodePart& part : parts) part.promised = true;
  return parts;
}

/// First those on which it does not fit now.
Parts SharedNodeAvailability::shielded_parts(std::int32_t unit, Wants wants, std::vector<NodeId> fits_later) {
  const Request& r = request(unit);
  if (has_components(r)) return shielded_components(unit, wants);
  Parts parts;
  std::ranges::sort(fits_later);
  const auto in_order = [&](const NodePool& pool, const NodeSet& nodes) {
    if (r.spread.cores != 0) return first_fit_.choose(kNoJob, r, pool, nodes, parts);
    const auto take = [&](const std::vector<NodeId>& some) {
      for (const NodeId n : some)
        if (nodes.contains(n) && std::ssize(parts) < r.nodes) parts.push_back({n, fitting_gpus(r, pool.room(n))});
    };
    take(fits_later);
    if (std::ssize(parts) < r.nodes) take(fits_already(unit, wants));
    take_what_is_left(r, pool, parts);
    return true;
  };
  if (!r.numbered && r.spread.cores == 0) in_order(after_, nodes(unit));
  else choose_in_row(r, {after_, pool_}, fits_then(unit, wants), parts, in_order);
  for (NodePart& part : parts) part.promised = true;
  return parts;
}

Time SharedNodeAvailability::shield(const Ask& a) {
  assert(reserved_.empty() && !shielding_);
  const Demand& demand = demands_->demand(a.job);
  // Where it has room now, its placement declined: it is to start when as many nodes as it needs are idle.
  const bool declined = std::ranges::any_of(demand, [&](std::int32_t unit) { return has_nodes_now(unit); });
  const Wants wants = declined ? Wants::kIdle : Wants::kRoom;
  std::vector<std::vector<NodeId>> fits_later;
  const std::int32_t i = free_ends_until_it_fits(demand, wants, fits_later);
  if (first_closure_ != kNever && (i < 0 || later(shadow_, a.duration) > first_closure_)) {
    // It may run into what is planned, of which ends of jobs say nothing: it is a reservation until unshield().
    forget_shield();
    const Time t = earliest(a, now_);
    if (t == kNever) return t;
    const auto choose = [&](std::int32_t unit, const NodePool& pool, const NodeSet& fitting, Parts& out) {
      const NodeSet open = open_until(unit, later(now_, Duration{1}));
      const auto not_now = [&](NodeId n) { return !open.contains(n) || !pool_.fits(request(unit), n); };
      choose_first(a.job, request(unit), {pool, pool_}, fitting, not_now, out);
    };
    reserve_on(a, t, ReservationKeeps::kAskedFor, choose);
    return t;
  }
  shielding_ = true;
  ++changes_;
  if (i < 0) return shadow_ = kNever;
  const std::int32_t unit = demand[static_cast<std::size_t>(i)];
  const Parts parts = shielded_parts(unit, wants, std::move(fits_later[static_cast<std::size_t>(i)]));
  after_.take(request(unit), parts);
  for (const NodePart& part : parts) {
    shielded_.insert(part.node);
    touched_.push_back(part.node);
    sync(part.node);
  }
  return shadow_;
}

void SharedNodeAvailability::unshield() {
  if (!shielding_) {  // it was a reservation, and there is no other
    while (!reserved_.empty()) unreserve(reserved_.begin()->first);
    return;
  }
  shielding_ = false;
  ++changes_;
  forget_shield();
}

/// What is left after others have ended is again what is left now.
void SharedNodeAvailability::forget_shield() {
  shadow_ = kNever;
  for (const NodeId n : touched_) {
    after_.copy_node(n, pool_);
    if (!shielded_.contains(n)) continue;
    shielded_.erase(n);
    both_.copy_node(n, pool_);
  }
  after_.set_licences(pool_.licences());
  touched_.clear();
}

/// What is left beside the shielded job: elsewhere than on its nodes, jobs only end until it starts.
void SharedNodeAvailability::sync(NodeId n) {
  both_.copy_node(n, pool_);
  if (!shielding_ || !shielded_.contains(n)) return;
  NodeRoom room = pool_.room(n);
  meet(room, after_.room(n));
  both_.set_room(n, room);
}

void SharedNodeAvailability::apply(const Holding& held, std::int32_t sign, bool again) {
  const Request& r = request(held);
  for (const NodePart& part : held.parts) used_nodes_ -= pool_.room(part.node).jobs != 0 ? 1 : 0;
  if (sign > 0) pool_.take(r, held.parts, again);
  else pool_.give(r, held.parts);
  for (const NodePart& part : held.parts) {
    used_nodes_ += pool_.room(part.node).jobs != 0 ? 1 : 0;
    if (shielding_) touched_.push_back(part.node);
    else after_.copy_node(part.node, pool_);
    sync(part.node);
  }
  if (!shielding_) after_.set_licences(pool_.licences());
  ++changes_;
}

void SharedNodeAvailability::start(StartedJob& job, bool /*reserved*/) {
  Holding held;
  auto it = reserved_.find(job.index);
  if (it != reserved_.end() && it->second.unit == JobDemands::kWholeNode) {  // it gets only what it asks for
    unreserve(job.index);
    it = reserved_.end();
  }
  if (it != reserved_.end()) {
    held = std::move(it->second);
    reserved_.erase(it);
    // Rooms say which jobs have cores of others, and to whom promised.
    const bool named = any_component(request(held.unit), [](const Request& r) { return r.row_of >= 0; });
    if (named) give_in_lines(held);
    for (NodePart& part : held.parts) part.promised = false;
    if (named) take_in_lines(held);
  } else {
    [[maybe_unused]] const bool fits = fits_now({job.index, job.node_count, job.expected_end - now_});
    assert(fits);
    held = {std::move(chosen_.parts), chosen_.unit, now_, job.expected_end};
    chosen_ = {};
    directive_ = nullptr;
    take_in_lines(held);
  }
  if (beside_shield(job.expected_end)) after_.take(request(held.unit), held.parts);
  job.nodes = nodes_in(held.parts);
  job.parts = held.parts;
  job.unit = held.unit;
  if (request(held.unit).spread.cores != 0) job.node_count = job.held = static_cast<std::int32_t>(held.parts.size());
  has_come(job.index, std::move(held));
}

static Parts whole_nodes_of(const NodeRanges& nodes) {
  Parts parts;
  for_each_node(nodes, [&](NodeId n) { parts.push_back({n, 0}); });
  return parts;
}

void SharedNodeAvailability::close(const NodeRanges& nodes, Time from, Time to, std::int32_t access) {
  const auto closure = closures_.insert(std::ranges::upper_bound(closures_, from, {}, &Closure::from),
                                        {from, to, whole_nodes_of(nodes), access});
  each_line_of(access,
               [&](NodeTimelines& line) { line.take(request(JobDemands::kWholeNode), closure->parts, from, to); });
  ++planned_;
  first_closure_ = std::min(first_closure_, from);
  ++changes_;
}

void SharedNodeAvailability::reopen(const NodeRanges& nodes, Time from, Time to, std::int32_t access) {
  const auto closure = std::find(std::ranges::lower_bound(closures_, from, {}, &Closure::from), closures_.end(),
                                 Closure{from, to, whole_nodes_of(nodes), access});
  each_line_of(access,
               [&](NodeTimelines& line) { line.give(request(JobDemands::kWholeNode), closure->parts, from, to); });
  found_.clear();
  closures_.erase(closure);
  --planned_;
  first_closure_ = first_closed(closures_);
  ++changes_;
}

/// Whether these parts could be held in that time, as far as reservations go. Precondition: there are some.
bool SharedNodeAvailability::room_beside_reserved(std::int32_t unit, const Request& r, const Parts& parts,
                                                  TimeWindow w) const {
  if (w.from >= w.to) return true;
  const auto line = [&](std::int32_t u) -> const NodeTimelines& {
    return lines_[static_cast<std::size_t>(demands_->access(u))];
  };
  const NodeTimelines& own = line(unit);
  if (own.can_take(r, parts, w.from, w.to) && !own.in_the_way(r, parts, w.from, w.to)) return true;
  // What is planned, and who is on a node that goes, does not give way: only a reservation can, where it meets the job.
  return std::ranges::none_of(reserved_, [&](const auto& entry) {
    const Holding& other = entry.second;
    const Time from = std::max(w.from, other.from), to = std::min(w.to, other.to);
    if (from >= to) return false;
    Parts common;
    bool meets = !r.licences.empty();
    const Request& its = request(other.unit);
    for (const NodePart& part : parts) {
      const auto there = std::ranges::find(other.parts, part.node, &NodePart::node);
      if (there == other.parts.end()) continue;
      meets = true;
      if (!component_of(its, *there).numbered) {
        common.push_back(part);
        continue;
      }
      // Whether it could still come: where jobs lie over one another, that is another question than the reverse.
      NodeRoom room = line(other.unit).room(part.node, from, to);
      change_room(room, its, *there, -1);
      change_room(room, r, part, 1);
      if (!has_room_on(its, room, *there) || in_the_way(its, *there, room)) return true;
    }
    return meets && !line(other.unit).can_take(r, common, from, to);
  });
}

void SharedNodeAvailability::hold(const StartedJob& job, Time end) {
  const auto it = started_.find(job.index);
  if (it == started_.end()) {  // it has never been here: it ends in a slice of another class
    assert(end <= now_);
    return;
  }
  Holding& held = it->second;
  for (NodeTimelines& line : lines_) {
    if (end > held.to) line.take(request(held), held.parts, held.to, end);
    else line.give(request(held), held.parts, end, held.to);
  }
  if (end <= held.to) found_.clear();
  ends_.erase({held.to, job.index});
  ends_.insert({end, job.index});
  held.to = end;
  ++changes_;
}

std::unique_ptr<Availability> SharedNodeAvailability::without_reservations(const StartedJobs&) const {
  auto ledger = std::make_unique<SharedNodeAvailability>(*demands_, nullptr, now_);
  const auto take = [&](bool away) {
    for (const auto& [job, held] : started_)
      if ((held.unit == JobDemands::kWholeNode) == away) ledger->has_come(job, held);
  };
  take(false);
  take(true);  // no job fits on a node that is down, but it may have been there before
  ledger->closures_ = closures_;
  ledger->first_closure_ = first_closure_;
  ledger->in_effect_ = in_effect_;
  ledger->windows_ignored_ = windows_ignored_;
  ledger->planned_ = planned_;
  return ledger;
}

bool SharedNodeAvailability::has_room_now(const Ask& a) {
  if (ceiling_ <= 0) return false;
  const Demand& demand = demands_->demand(a.job);
  const Time end = later(now_, a.duration);
  return std::ranges::any_of(demand, [&](std::int32_t unit) {
    const std::int32_t wanted = request(unit).nodes;
    if (has_components(request(unit)))
      return has_nodes_now(unit) && licences_until(unit, end) &&
             has_nodes_until(unit, end, wanted, NodeSet(nodes(unit).size()));
    return fitting_now(unit).count() >= wanted && licences_until(unit, end) &&
           fitting_until(unit, end).count() >= wanted;
  });
}

NodeRoom SharedNodeAvailability::room_until(std::int32_t unit, NodeId n, Time end) {
  NodeRoom room = (reserved_.empty() && beside_shield(end) ? both_ : pool_).room(n);
  if (!never_less(end)) meet(room, lines(unit).room(n, now_, end));
  return room;
}

bool SharedNodeAvailability::licences_until(std::int32_t unit, Time end) {
  const Request& r = request(unit);
  if (!pool_.has_licences(r)) return false;
  if (reserved_.empty() && beside_shield(end) && !after_.has_licences(r)) return false;
  return never_less(end) || lines(unit).has_licences(r, now_, end);
}

void SharedNodeAvailability::take_in(const StartedJob& job, std::int32_t /*nodes*/, Time end) {
  Holding held{job.parts, job.unit, now_, end};
  take_in_lines(held);
  if (beside_shield(end)) after_.take(request(held.unit), held.parts);
  has_come(job.index, std::move(held));
}

void SharedNodeAvailability::let_go(const StartedJob& job, std::int32_t /*nodes*/, Time /*end*/) {
  const auto it = started_.find(job.index);
  if (it == started_.end()) return;
  Holding& held = it->second;
  ends_.erase({held.to, job.index});
  held.from = now_;
  give_in_lines(held);
  apply(held, -1);
  const Request& r = request(held.unit);
  started_.erase(it);
  if (r.many_rows && reserved_.empty() && !shielding_) pack(r.row_of);
}

/// The jobs that `parts_of(job, held)` gives parts; none where they are in one row, and there can be no fewer.
template <class F>
std::vector<RowMember> SharedNodeAvailability::members_of_rows(std::int32_t partition, F&& parts_of) const {
  std::vector<RowMember> members;
  bool one_row = true;
  for (const auto& [job, held] : started_) {
    const Request& r = request(held.unit);
    const Parts* const parts = r.row_of == partition && !r.exclusive ? parts_of(job, held) : nullptr;
    if (parts == nullptr) continue;
    members.push_back({job, parts->front().row, 0, parts});
    for (const NodePart& part : *parts) {
      if (part.held.empty()) return {};
      members.back().cores += part.held.count();
      one_row = one_row && part.row == members.front().row;
    }
  }
  return one_row ? std::vector<RowMember>{} : members;
}

std::int32_t SharedNodeAvailability::rows_of(std::int32_t partition) const {
  return demands_->layout().partitions[static_cast<std::size_t>(partition)].oversubscribe;
}

/// Puts the started jobs of the partition into rows anew: one of them has gone.
void SharedNodeAvailability::pack(std::int32_t partition) {
  std::vector<RowMember> members =
      members_of_rows(partition, [](JobIndex, const Holding& held) { return &held.parts; });
  for (const RowMember* moved : pack_rows(members, rows_of(partition))) {
    Holding& held = started_.at(moved->job);
    held.from = now_;
    give_in_lines(held);
    apply(held, -1);
    for (NodePart& part : held.parts) part.row = moved->row;
    apply(held, 1, true);
    take_in_lines(held);
  }
}

void SharedNodeAvailability::keep_allocation(const Ask& a) {
  assert(reserved_.empty() && !shielding_);
  const Demand& demand = demands_->demand(a.job);
  const auto fits = [&](std::int32_t unit) { return has_nodes_now(unit); };
  if (planned_ == 0 && std::ranges::any_of(demand, fits)) reserve(a, now_, ReservationKeeps::kAskedFor);
  else shield(a);
}

}  // namespace coslice

#include "availability/group_allocation.h"

#include <algorithm>

namespace coslice {

GroupAllocation::GroupAllocation(SharedNodeAvailability& ledger, const GroupAsk& ask)
    : ledger_(ledger), ask_(ask), end_(later(ledger.now(), ask.time)),
      covered_(ledger.demands().layout().node_count()) {}

const Demand& GroupAllocation::demand_of(const GroupAsk::Member& m) const {
  return ledger_.demands().demands()[static_cast<std::size_t>(m.demand)];
}

bool GroupAllocation::find(std::vector<JobAllocation>& out) {
  const std::vector<GroupAsk::Member>& members = ask_.members;
  out.assign(members.size(), {});
  for (std::size_t i = 0; i != members.size(); ++i)
    if (members[i].running != nullptr && !stay(members[i], out[i])) return false;
  if (members[0].running == nullptr && !place_primary(out[0])) return false;
  for (const NodePart& part : out[0].parts) base_.push_back(part.node);
  std::ranges::sort(base_);
  for (std::size_t i = 1; i != members.size(); ++i)
    if (members[i].running == nullptr && !place_over(members[i], out[i])) return false;
  return fresh_ <= ask_.fresh;
}

bool GroupAllocation::stay(const GroupAsk::Member& m, JobAllocation& allocation) {
  const NodeSet there = open(m.running->unit);
  allocation = {m.running->unit, m.running->parts};
  for (const NodePart& part : allocation.parts) {
    if (!there.contains(part.node)) return false;
    rooms_[part.node] = ledger_.pool().room(part.node);
    if (&m != &ask_.members.front()) covered_.insert(part.node);
  }
  return true;
}

bool GroupAllocation::has_licences(std::int32_t unit) const {
  const auto asked_by = [](const Request& r, std::int32_t licence) {
    std::int64_t n = 0;
    for (const LicenceUse& use : r.licences) n += use.licence == licence ? use.count : 0;
    return n;
  };
  const std::vector<LicenceUse>& own = request(unit).licences;
  return std::ranges::all_of(own, [&](const LicenceUse& use) {
    std::int64_t n = use.count;
    for (const std::int32_t other : new_units_) n += asked_by(request(other), use.licence);
    return n <= ledger_.pool().licences_left(use.licence);
  });
}

/// The member is there from now on, as far as the others are concerned.
void GroupAllocation::take(std::int32_t unit, const Parts& parts) {
  new_units_.push_back(unit);
  for (const NodePart& part : parts) {
    NodeRoom& room = rooms_.try_emplace(part.node, ledger_.pool().room(part.node)).first->second;
    change_room(room, request(unit), part, 1);
  }
}

/// Of these idle nodes, those on which each of the others that wait finds room beside the primary as that unit.
NodeSet GroupAllocation::wanted_by_others(std::int32_t primary, const NodeSet& idle) const {
  NodeSet wanted = idle;
  for (std::size_t i = 1; i != ask_.members.size(); ++i) {
    if (ask_.members[i].running != nullptr) continue;
    NodeSet possible(idle.size());
    for (const std::int32_t unit : demand_of(ask_.members[i])) {
      NodeSet there = open(unit);
      (there &= wanted).for_each([&](NodeId n) {
        NodeRoom room = ledger_.pool().room(n);
        change_room(room, request(primary), {0, fitting_gpus(request(primary), room)}, 1);
        if (fits_in_group(request(unit), room)) possible.insert(n);
      });
    }
    wanted &= possible;
  }
  return wanted;
}

/// Adds `count` idle nodes, as the job's placement chooses them.
bool GroupAllocation::take_idle(const GroupAsk::Member& m, std::int32_t unit, std::int32_t count, const NodeSet& idle,
                                Parts& parts) {
  if (count == 0) return true;
  Request some = request(unit);
  some.nodes = count;
  Parts chosen;
  if (idle.count() < count || !ledger_.choose_on(m.job, some, idle, chosen)) return false;
  fresh_ += count;
  parts.insert(parts.end(), chosen.begin(), chosen.end());
  return true;
}

/// On the nodes of those that run already, then on idle ones, where the others find room if possible.
bool GroupAllocation::place_primary(JobAllocation& allocation) {
  const GroupAsk::Member& primary = ask_.members.front();
  for (const std::int32_t unit : demand_of(primary)) {
    const Request& r = request(unit);
    const NodeSet there = open(unit);
    Parts parts;
    bool over_all = true;
    for (const auto& [n, room] : rooms_) {
      if (std::ssize(parts) == r.nodes) break;
      over_all = over_all && there.contains(n) && has_room(unit, n);
      parts.push_back({n, fitting_gpus(r, room)});
    }
    if (!over_all || !has_licences(unit)) continue;
    const std::int32_t wanted = r.nodes - static_cast<std::int32_t>(parts.size());
    NodeSet idle = ledger_.fitting_now(unit);
    idle &= there;
    const NodeSet good = wanted_by_others(unit, idle);
    Parts rest;
    if (!take_idle(primary, unit, wanted, good, rest)) {
      idle -= good;  // the others lie beyond some of it
      const std::int32_t of_good = std::min(wanted, good.count());
      rest.clear();
      if (!take_idle(primary, unit, of_good, good, rest) || !take_idle(primary, unit, wanted - of_good, idle, rest))
        continue;
    }
    parts.insert(parts.end(), rest.begin(), rest.end());
    take(unit, parts);
    allocation = {unit, std::move(parts)};
    return true;
  }
  return false;
}

/// On nodes of the primary on which no other one is, then on idle ones.
bool GroupAllocation::place_over(const GroupAsk::Member& m, JobAllocation& allocation) {
  for (const std::int32_t unit : demand_of(m)) {
    const Request& r = request(unit);
    const NodeSet there = open(unit);
    Parts parts;
    for (const NodeId n : base_)
      if (std::ssize(parts) != r.nodes && !covered_.contains(n) && there.contains(n) && has_room(unit, n))
        parts.push_back({n, fitting_gpus(r, rooms_.at(n))});
    if (parts.empty() || !has_licences(unit)) continue;
    NodeSet idle = ledger_.fitting_now(unit);
    idle &= there;
    for (const auto& [n, room] : rooms_)
      if (idle.contains(n)) idle.erase(n);
    if (!take_idle(m, unit, r.nodes - static_cast<std::int32_t>(parts.size()), idle, parts)) continue;
    take(unit, parts);
    for (const NodePart& part : parts) covered_.insert(part.node);
    allocation = {unit, std::move(parts)};
    return true;
  }
  return false;
}

}  // namespace coslice

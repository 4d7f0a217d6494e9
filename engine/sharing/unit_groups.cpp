#include "sharing/unit_groups.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "sharing/contention.h"
#include "sharing/group_search.h"

namespace coslice {
namespace {

double on(const std::vector<double>& by_kind, std::int32_t kind) { return by_kind[static_cast<std::size_t>(kind)]; }

/// Of each unit one process; units of guests are the primary's.
double gain_of(std::int32_t units, double work, const std::vector<UnitGroups::Member>& guests) {
  const auto of = [](const UnitGroups::Member& g) { return static_cast<double>(g.job->units); };
  if (guests.size() == 1) return gain_of_pair(guests[0].of_primary, guests[0].kept, of(guests[0]) / units);
  std::vector<GainMember> members;
  for (const UnitGroups::Member& g : guests) members.push_back({of(g), g.work, 1 / g.kept, 1 / g.of_primary});
  return utilization_gain(units, work, members, units);
}

/// Running jobs of one kind that have units for themselves and share others only with jobs that have none, in order of
/// their starts.
std::vector<UnitLedger::Tenant*> hosts_of(const UnitLedger& ledger) {
  std::vector<UnitLedger::Tenant*> hosts;
  for (UnitLedger::Tenant* t : ledger.running()) {
    const bool covers =
        std::ranges::all_of(t->partners, [](const UnitLedger::Common& c) { return c.units >= c.with->units; });
    if (t->kind >= 0 && t->single() > 0 && covers) hosts.push_back(t);
  }
  return hosts;
}

Time end_of(const UnitLedger::Tenant& t, Time start, double speed) {
  return later(start, at_most_a_century(t.left / speed));
}

/// Units come free and are taken by nobody: once there are enough, there are.
std::optional<UnitSlot> on_several(const UnitLedger::Tenant& t, const std::vector<Profile>& free, Time not_before) {
  std::vector<Time> instants{not_before};
  double slowest = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k != free.size(); ++k) {
    if (t.speed[k] <= 0) continue;
    free[k].for_each_step([&](Time at, std::int32_t) { instants.push_back(std::max(at, not_before)); });
    slowest = std::min(slowest, t.speed[k]);
  }
  std::ranges::sort(instants);
  for (const Time start : instants) {
    std::int32_t units = 0;
    for (std::size_t k = 0; k != free.size(); ++k) units += t.speed[k] > 0 ? free[k].free_at(start) : 0;
    if (units >= t.units) return UnitSlot{-1, start, end_of(t, start, slowest), units - t.units};
  }
  return std::nullopt;
}

void take(const UnitLedger::Tenant& t, const UnitSlot& slot, std::vector<Profile>& free) {
  std::int32_t units = t.units;
  for (std::size_t k = 0; k != free.size(); ++k) {
    if (slot.kind >= 0 ? slot.kind != static_cast<std::int32_t>(k) : t.speed[k] <= 0) continue;
    const std::int32_t n = std::clamp(free[k].free_at(slot.start), 0, units);
    free[k].reserve(slot.start, slot.finish, n);
    units -= n;
  }
}

/// When the jobs of a list would end, none starting before the one ahead of it; kNever for those that never start, or
/// ask for no units.
std::vector<Time> play_forward(const std::vector<UnitLedger::Tenant*>& queue, std::vector<Profile> free, Time now) {
  std::vector<Time> finishes(queue.size(), kNever);
  for (std::size_t i = 0; i != queue.size(); ++i) {
    const std::optional<UnitSlot> slot = first_slot(*queue[i], free, now);
    if (!slot) continue;
    take(*queue[i], *slot, free);
    finishes[i] = slot->finish;
    now = slot->start;
  }
  return finishes;
}

}  // namespace

std::vector<UnitLedger::Tenant*> waiting_tenants(UnitLedger& ledger, std::size_t most) {
  const WaitingQueue& queue = ledger.view().queue();
  std::vector<UnitLedger::Tenant*> jobs;
  for (WaitingQueue::Position p = queue.first(); p < queue.end() && jobs.size() != most; p = queue.next(p))
    jobs.push_back(&ledger.tenant(queue.job(p)));
  return jobs;
}

UnitLedger::WhatIf what_if(const UnitGroups::Group& group) {
  UnitLedger::WhatIf all{group.primary, {}, {}, group.kind};
  if (!group.primary->runs) all.coming.push_back(group.primary);
  for (const UnitGroups::Member& m : group.guests) {
    all.guests.push_back(m.job);
    if (!m.job->runs) all.coming.push_back(m.job);
  }
  return all;
}

void UnitGroups::expect() {
  const std::vector<Tenant*> queue = waiting_tenants(ledger_, std::numeric_limits<std::size_t>::max());
  const auto is_known = [](const Tenant* t) { return t->expected.response != Duration::max(); };
  if (std::ranges::all_of(queue, is_known)) return;
  const View& view = ledger_.view();
  const std::vector<Time> finishes = play_forward(queue, ledger_.free_later(), view.now());
  for (std::size_t i = 0; i != queue.size(); ++i)
    if (!is_known(queue[i])) queue[i]->expected.expect(view, finishes[i]);
}

UnitGroups::Member UnitGroups::member(Tenant& primary, Tenant& guest, std::int32_t kind) {
  const double kept = ledger_.kept(guest, primary, kind), of_primary = ledger_.kept(primary, guest, kind);
  return {&guest, kept, of_primary, ledger_.left(guest) / on(guest.speed, kind)};
}

/// Nothing if the two do not tolerate one another.
std::optional<UnitGroups::Member> UnitGroups::bearable(Tenant& primary, Tenant& guest, std::int32_t kind) {
  if (on(guest.speed, kind) == 0 || on(primary.speed, kind) == 0 || !ledger_.may_share(primary, guest, kind))
    return std::nullopt;
  const Member m = member(primary, guest, kind);
  if (std::min(m.kept, m.of_primary) * rules_.max_slowdown < 1 - 1e-9) return std::nullopt;
  return m;
}

void UnitGroups::add(Tenant& primary, std::int32_t kind, std::vector<Member> guests, std::int32_t idle) {
  const double work = ledger_.left(primary) / on(primary.speed, kind);
  std::vector<Member> all;
  for (const UnitLedger::Common& c : primary.partners) all.push_back(member(primary, *c.with, kind));
  const double before = all.empty() ? 0 : gain_of(primary.units, work, all);
  all.insert(all.end(), guests.begin(), guests.end());
  double gain = gain_of(primary.units, work, all);
  if (gain <= rules_.min_gain) return;
  gain -= before;
  if (gain > 0) found_.push_back({&primary, kind, idle, gain, found_.size(), std::move(guests)});
}

/// Sets of guests for a primary that may share `room` units with them and must share `least`: for each that slows it
/// down the most, those that slow it down no more and keep most themselves.
template <class F>
void UnitGroups::add_sets(Tenant& primary, std::int32_t kind, std::vector<Member>& members, std::int32_t room,
                          std::int32_t least, F&& idle) {
  std::ranges::sort(members, [](const Member& a, const Member& b) {
    return a.kept != b.kept ? a.kept > b.kept : a.job->id < b.job->id;
  });
  std::vector<double> tried;
  for (const Member& worst : members) {
    const double bound = worst.of_primary;
    if (std::ranges::find(tried, bound) != tried.end()) continue;
    tried.push_back(bound);
    std::vector<Member> set;
    std::int32_t units = 0;
    for (const Member& m : members) {
      if (m.of_primary < bound || units + m.job->units > room) continue;
      set.push_back(m);
      units += m.job->units;
    }
    if (!set.empty() && units >= least) add(primary, kind, std::move(set), idle(units));
  }
}

/// Case 1 (Zeng 2009, Section 4.5): a waiting job, on units that nothing is on, and others that wait. Of two alike the
/// first is the primary.
void UnitGroups::among_waiting(std::size_t i) {
  Tenant& t = *block_[i];
  const std::int32_t kind = t.units > 0 ? ledger_.fastest_free(t) : -1;
  if (kind < 0) return;
  std::vector<Member> members;
  for (std::size_t j = 0; j != block_.size(); ++j) {
    Tenant& other = *block_[j];
    if (other.units == 0 || other.units > t.units || (other.units == t.units && j <= i)) continue;
    const std::optional<Member> m = bearable(t, other, kind);
    if (!m) continue;
    if (other.units == t.units) add(t, kind, {*m}, t.units);
    else members.push_back(*m);
  }
  add_sets(t, kind, members, t.units, 1, [&](std::int32_t) { return t.units; });
}

/// The waiting job as the only one beside a running one with as many units.
void UnitGroups::beside_equal(Tenant& t, const std::vector<Tenant*>& hosts) {
  for (Tenant* host : hosts) {
    if (host->units != t.units || !host->partners.empty()) continue;
    const double kept = ledger_.kept(t, *host, host->kind), of_host = ledger_.kept(*host, t, host->kind);
    if (gain_of_pair(of_host, kept, 1) <= rules_.min_gain) continue;
    if (const std::optional<Member> m = bearable(*host, t, host->kind)) add(*host, host->kind, {*m}, 0);
  }
}

/// Case 2: a waiting job over narrower ones that run, and on units that nothing is on, which alone are not enough.
void UnitGroups::over_running(Tenant& t, const std::vector<Tenant*>& hosts) {
  for (std::int32_t k = 0; k != ledger_.kinds(); ++k) {
    if (t.units <= 1 || on(t.speed, k) <= 0 || ledger_.free(k) >= t.units) continue;
    std::vector<Member> members;
    for (Tenant* host : hosts) {
      if (host->kind != k || !host->partners.empty() || host->units >= t.units) continue;
      if (const std::optional<Member> m = bearable(t, *host, k)) members.push_back(*m);
    }
    add_sets(t, k, members, t.units, t.units - ledger_.free(k), [&](std::int32_t units) { return t.units - units; });
  }
}

/// Case 3: waiting jobs beside one that runs.
void UnitGroups::beside_running(Tenant& host) {
  std::vector<Member> members;
  for (Tenant* t : block_) {
    if (t->units == 0 || t->units >= host.units || t->units > host.single()) continue;
    if (const std::optional<Member> m = bearable(host, *t, host.kind)) members.push_back(*m);
  }
  add_sets(host, host.kind, members, host.single(), 1, [](std::int32_t) { return 0; });
}

void UnitGroups::begin(const Rules& rules) {
  rules_ = rules;
  block_ = waiting_tenants(ledger_, rules.depth);
  found_.clear();
}

void UnitGroups::finish() {
  std::ranges::sort(
      found_, [](const Group& a, const Group& b) { return a.gain != b.gain ? a.gain > b.gain : a.order < b.order; });
  if (!found_.empty() && rules_.slack > 0) without_ = play_forward(block_, ledger_.free_later(), ledger_.view().now());
}

const std::vector<UnitGroups::Group>& UnitGroups::search(const Rules& rules) {
  begin(rules);
  const std::vector<Tenant*> hosts = hosts_of(ledger_);
  for (std::size_t i = 0; i != block_.size(); ++i) {
    among_waiting(i);
    beside_equal(*block_[i], hosts);
    over_running(*block_[i], hosts);
  }
  for (Tenant* host : hosts)
    if (host->units > 1) beside_running(*host);
  finish();
  return found_;
}

const std::vector<UnitGroups::Group>& UnitGroups::search_faster(Tenant& head, const Rules& rules) {
  begin(rules);
  const std::int32_t kind = ledger_.fastest_free(head);
  if (kind < 0) return found_;
  for (Tenant* host : ledger_.running()) {
    if (host->kind < 0 || host->units != head.units || !host->partners.empty()) continue;
    if (ledger_.kept(head, *host, host->kind) * on(head.speed, host->kind) <= on(head.speed, kind)) continue;
    if (const std::optional<Member> m = bearable(*host, head, host->kind)) add(*host, host->kind, {*m}, 0);
  }
  finish();
  return found_;
}

/// Those of the block that wait ahead of the last job of the group that does, and are not of it.
std::vector<UnitLedger::Tenant*> UnitGroups::ahead_of(const UnitLedger::WhatIf& group) const {
  std::vector<Tenant*> ahead;
  std::size_t passed = 0;
  for (Tenant* t : block_) {
    if (std::ranges::find(group.coming, t) == group.coming.end()) ahead.push_back(t);
    else if (++passed == group.coming.size()) break;
  }
  return ahead;
}

bool UnitGroups::fair(const Group& group) {
  if (rules_.slack <= 0) return true;
  const View& view = ledger_.view();
  const UnitLedger::WhatIf all = what_if(group);
  std::unordered_map<const Tenant*, Time> running;
  const auto note = [&](Tenant& t) {
    if (!t.runs || running.count(&t) != 0) return;
    for (const Tenant* x : ledger_.ends(t)) running[x] = x->end;
  };
  note(*group.primary);
  for (Tenant* guest : all.guests) note(*guest);
  const auto keeps = [&](const Tenant& t, Time finish) {
    Time before = kNever;
    if (const auto known = running.find(&t); known != running.end()) before = known->second;
    else if (const auto place = std::ranges::find(block_, &t); place != block_.end())
      before = without_[static_cast<std::size_t>(place - block_.begin())];
    return t.expected.keeps(view, before, finish, {rules_.slack, 1, 1, true, Duration{1000}});
  };
  const std::vector<Tenant*> ahead = ahead_of(all);
  ledger_.suppose(all);
  const std::vector<Tenant*> together = ledger_.ends(*group.primary);
  const bool fair = std::ranges::all_of(together, [&](const Tenant* t) { return keeps(*t, t->end); });
  std::vector<Profile> free;
  if (fair && !ahead.empty()) free = ledger_.free_later();
  ledger_.forget(all);
  if (!fair || ahead.empty()) return fair;
  const std::vector<Time> finishes = play_forward(ahead, std::move(free), view.now());
  for (std::size_t i = 0; i != ahead.size(); ++i)
    if (finishes[i] != kNever && !keeps(*ahead[i], finishes[i])) return false;
  return true;
}

std::optional<UnitSlot> first_slot(const UnitLedger::Tenant& t, const std::vector<Profile>& free, Time not_before) {
  if (t.units == 0) return std::nullopt;
  std::optional<UnitSlot> best;
  for (std::size_t k = 0; k != free.size(); ++k) {
    if (t.speed[k] <= 0) continue;
    const Time start = free[k].earliest(t.units, Duration{1}, not_before);
    if (start == kNever) continue;
    const Time finish = end_of(t, start, t.speed[k]);
    if (!best || finish < best->finish)
      best = {static_cast<std::int32_t>(k), start, finish, free[k].free_at(start) - t.units};
  }
  return best ? best : on_several(t, free, not_before);
}

}  // namespace coslice

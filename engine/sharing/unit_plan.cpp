#include "sharing/unit_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace coslice {
namespace {

/// Whether it could share one unit with another such job.
bool may_share(const UnitLedger::Tenant& t) {
  return t.units == 1 && 2 * t.gpu_share <= kWholeGpu && t.application != 0;
}

/// It may run anywhere: no kind has all that it asks for, or nothing is counted that it asks for.
bool anywhere(const UnitLedger::Tenant& t) { return t.units == 0 || t.prefers.empty(); }

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

UnitPlan::UnitPlan(UnitLedger& ledger) : ledger_(ledger), running_(ledger.running()) {}

void UnitPlan::ended(JobIndex j) {
  Tenant& t = ledger_.tenant(j);
  if (t.runs) {
    std::erase(running_, &t);
    std::erase(widowed_, &t);
  }
  if (!ledger_.stopping()) changed_ = changed_ || t.runs;
  const auto found = entries_.find(j);
  if (found == entries_.end()) return;
  if (Tenant* const mate = std::exchange(found->second.mate, nullptr)) {
    found->second.is_guest = entry(*mate).is_guest = false;
    entry(*mate).mate = nullptr;
    if (!ledger_.stopping()) widowed_.push_back(mate);
  }
  if (ledger_.stopping()) return;
  std::erase_if(given_, [&](Tenant* x) { return x == &t || entry(*x).to_host == &t; });
  entries_.erase(j);
}

bool UnitPlan::before(const Tenant& a, const Tenant& b) const {
  if (running_first_ && a.runs != b.runs) return a.runs;
  if (!(running_first_ && a.runs) && a.rank != b.rank) return a.rank < b.rank;
  if (a.submit != b.submit) return a.submit < b.submit;
  return a.id < b.id;
}

void UnitPlan::begin(const Order& order) {
  ++number_;
  changed_ = false;
  over_ = false;
  running_first_ = order.running_first;
  widowed_.clear();
  given_.clear();
  left_ = ledger_.sizes();
  if (order.rank)
    for (Tenant* t : running_) t->rank = order.rank(*t);
  for (std::size_t i = 1; i < running_.size(); ++i) {  // most are in order from the last time
    Tenant* const t = running_[i];
    std::size_t n = i;
    for (; n > 0 && before(*t, *running_[n - 1]); --n) running_[n] = running_[n - 1];
    running_[n] = t;
  }
  next_running_ = 0;
  next_waiting_ = nullptr;
  place_ = ledger_.view().queue().first();
  hosts_found_ = false;
}

UnitPlan::Tenant* UnitPlan::take_next() {
  const WaitingQueue& queue = ledger_.view().queue();
  if (next_waiting_ == nullptr && place_ < queue.end()) {
    next_waiting_ = &ledger_.tenant(queue.job(place_));
    place_ = queue.next(place_);
  }
  Tenant* const running = next_running_ < running_.size() ? running_[next_running_] : nullptr;
  if (running == nullptr || (next_waiting_ != nullptr && !before(*running, *next_waiting_)))
    return std::exchange(next_waiting_, nullptr);
  ++next_running_;
  return running;
}

UnitPlan::Tenant* UnitPlan::next() {
  while (!over_) {
    Tenant* const t = take_next();
    over_ = t == nullptr || (anywhere(*t) && !give_anywhere(*t));
    if (!over_ && !anywhere(*t)) return t;
  }
  return nullptr;
}

std::int32_t UnitPlan::fastest(const Tenant& t) const {
  for (const std::int32_t k : t.prefers)
    if (left_[static_cast<std::size_t>(k)] >= t.units) return k;
  return -1;
}

UnitPlan::Entry& UnitPlan::note(Tenant& t, std::int32_t kind, Tenant* host) {
  Entry& e = entry(t);
  e.given = number_;
  e.to_kind = kind;
  e.to_host = host;
  given_.push_back(&t);
  return e;
}

void UnitPlan::give(Tenant& t, std::int32_t kind) {
  left_[static_cast<std::size_t>(kind)] -= t.units;
  note(t, kind, nullptr);
}

/// False if it runs, and others are to have some of its units.
bool UnitPlan::give_anywhere(Tenant& t) {
  if (t.runs) {
    for (std::size_t k = 0; k != left_.size(); ++k)
      if (left_[k] < t.at[k]) return false;
    for (std::size_t k = 0; k != left_.size(); ++k) left_[k] -= t.at[k];
  }
  note(t, -1, nullptr);
  return true;
}

UnitPlan::Tenant* UnitPlan::give_fastest() {
  while (Tenant* const t = next()) {
    const std::int32_t kind = fastest(*t);
    if (kind < 0) return t;
    give(*t, kind);
  }
  return nullptr;
}

bool UnitPlan::is_alone(const Tenant& t) const {
  const auto at = entries_.find(t.job);
  return at != entries_.end() && at->second.given == number_ && at->second.to_kind >= 0 &&
         at->second.to_host == nullptr;
}

void UnitPlan::give_beside(Tenant& t, Tenant& host, std::string reason) {
  const Entry& of_host = entry(host);
  if (hosts_found_ && of_host.group >= 0) {
    Group& group = groups_[static_cast<std::size_t>(of_host.group)];
    if (group.next < group.hosts.size() && group.hosts[group.next] == &host) ++group.next;
  }
  note(t, of_host.to_kind, &host).reason = std::move(reason);
}

void UnitPlan::find_hosts() {
  for (Group& group : groups_) group = {};
  present_.clear();
  for (Tenant* t : given_) {
    Entry& e = entry(*t);
    if (e.to_kind < 0 || e.to_host != nullptr || !may_share(*t)) continue;
    if (e.group_kind != e.to_kind) {
      const auto number = static_cast<std::int32_t>(numbers_.size());
      e.group = numbers_.try_emplace({e.to_kind, t->application}, number).first->second;
      e.group_kind = e.to_kind;
      groups_.resize(numbers_.size());
    }
    Group& group = groups_[static_cast<std::size_t>(e.group)];
    if (group.hosts.empty()) present_.push_back(static_cast<std::size_t>(e.group));
    group.hosts.push_back(t);
  }
  std::ranges::sort(present_);
  hosts_found_ = true;
}

double UnitPlan::sum_beside(const Tenant& t, std::size_t group) {
  const auto application = static_cast<std::size_t>(t.application);
  if (sums_.size() <= application) sums_.resize(application + 1);
  std::vector<double>& sums = sums_[application];
  if (sums.size() <= group) sums.resize(groups_.size(), kNotKnown);
  double& sum = sums[group];
  if (!std::isnan(sum)) return sum;
  const Tenant& host = *groups_[group].hosts.front();
  const std::int32_t kind = entry(host).to_kind;
  return sum = t.speed[static_cast<std::size_t>(kind)] > 0 ? ledger_.kept(t, host, kind) + ledger_.kept(host, t, kind)
                                                           : 0;
}

UnitPlan::Host UnitPlan::best_host(const Tenant& t) {
  if (!hosts_found_) find_hosts();  // groups are numbered as they are seen, for every question
  if (!may_share(t)) return {};
  struct Best {
    std::size_t group;
    double sum;
  };
  std::optional<Best> open, taken;  // of equals the group that was seen first
  for (const std::size_t n : present_) {
    const Group& group = groups_[n];
    std::optional<Best>& best = group.next == group.hosts.size() ? taken : open;
    const double sum = sum_beside(t, n);
    if (!best || sum > best->sum) best = {n, sum};
  }
  if (!open) return {};
  const Group& group = groups_[open->group];
  Host host{group.hosts[group.next], open->sum, {}};
  if (taken && (taken->sum > open->sum || (taken->sum == open->sum && taken->group < open->group)))
    host.taken = taken->sum;
  return host;
}

bool UnitPlan::stays(const Tenant& t) {
  const Entry& e = entry(t);
  if (t.units == 0) return true;
  return e.given == number_ && e.kind == e.to_kind && (e.is_guest ? e.mate : nullptr) == e.to_host;
}

void UnitPlan::carry_out(const StopOrder& order) {
  over_ = true;
  std::vector<Tenant*> leaving;
  for (Tenant* t : running_)
    if (!stays(*t)) leaving.push_back(t);
  if (leaving.empty()) return start_all();
  for (Tenant* t : leaving) {
    entry(*t).stopped = number_;
    ledger_.stop(*t, order);
  }
  moving_ = true;
}

/// Behind a job that does not fit, only those go on that had to stop for the plan.
void UnitPlan::start_all() {
  bool blocked = false;
  for (Tenant* t : std::exchange(given_, {})) {
    if (t->runs || (blocked && entry(*t).stopped != number_) || start(*t)) continue;
    changed_ = blocked = true;
  }
}

bool UnitPlan::start(Tenant& t) {
  Entry& e = entry(t);
  StartDirective directive;
  if (e.to_host != nullptr) {
    if (!e.to_host->runs) return false;
    directive.beside.push_back(ledger_.host(*e.to_host));
  } else if (e.to_kind >= 0) {
    ledger_.direct_to(e.to_kind, directive);
    directive.alone = true;
  }
  if (!ledger_.start(t, directive, e.to_host == nullptr ? "" : e.reason)) return false;
  e.kind = e.to_kind;
  e.mate = e.to_host;
  e.is_guest = e.mate != nullptr;
  if (e.mate != nullptr) entry(*e.mate).mate = &t;
  return true;
}

void UnitPlan::stop_widowed(const StopOrder& order) {
  for (Tenant* t : std::exchange(widowed_, {}))
    if (t->runs) ledger_.stop(*t, order);
}

}  // namespace coslice

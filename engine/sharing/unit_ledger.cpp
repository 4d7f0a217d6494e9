#include "sharing/unit_ledger.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "core/error.h"
#include "jobs/attributes.h"
#include "machine/node_set.h"
#include "schedule/observer.h"
#include "sharing/contention.h"

namespace coslice {
namespace {

constexpr std::int64_t kUnitsOfNode = 65;  ///< more than a node can have

/// What of the part of a node is counted, each by a number of its own.
template <class F>
void each_unit(UnitLedger::Of of, const NodePart& part, F&& f) {
  if (of == UnitLedger::Of::kNodes) return f(part.node);
  for (std::uint64_t left = part.gpus; left != 0; left &= left - 1)
    f(std::int64_t{part.node} * kUnitsOfNode + std::countr_zero(left));
}

/// For as long as it lives, places are the directive's; null: nobody's.
class Directing {
 public:
  Directing(View& view, const StartDirective* directive) : view_(view) { view_.available().direct(directive); }
  ~Directing() { view_.available().direct(nullptr); }
  Directing(const Directing&) = delete;
  Directing& operator=(const Directing&) = delete;

 private:
  View& view_;
};

void link_one(UnitLedger::Tenant& t, UnitLedger::Tenant& other, std::int32_t kind, std::int32_t units) {
  const auto found =
      std::ranges::find_if(t.partners, [&](const UnitLedger::Common& c) { return c.with == &other && c.kind == kind; });
  if (found != t.partners.end()) found->units += units;
  else t.partners.push_back({&other, kind, units});
}

void link(UnitLedger::Tenant& a, UnitLedger::Tenant& b, std::int32_t kind, std::int32_t units) {
  link_one(a, b, kind, units);
  link_one(b, a, kind, units);
}

void unlink(UnitLedger::Tenant& t, const UnitLedger::Tenant& other) {
  std::erase_if(t.partners, [&](const UnitLedger::Common& c) { return c.with == &other; });
}

/// Itself, and those with which it shares units, directly or through others.
std::vector<UnitLedger::Tenant*> connected(UnitLedger::Tenant& t) {
  std::vector<UnitLedger::Tenant*> all{&t};
  for (std::size_t i = 0; i != all.size(); ++i)
    for (const UnitLedger::Common& c : all[i]->partners)
      if (std::ranges::find(all, c.with) == all.end()) all.push_back(c.with);
  return all;
}

}  // namespace

std::int32_t UnitLedger::Tenant::single() const {
  std::int32_t n = units;
  for (const Common& c : partners) n -= c.units;
  return std::max(n, 0);
}

UnitLedger::UnitLedger(View& view, Of of) : view_(view), of_(of) {
  const MachineLayout& layout = view.demands()->layout();
  first_ = layout.first_alike();
  nodes_.resize(first_.size());
  for (std::size_t k = 0; k != first_.size(); ++k) {
    nodes_[static_cast<std::size_t>(first_[k])] += layout.kinds[k].count;
    elsewhere_.push_back(layout.not_alike(static_cast<std::int32_t>(k)));
  }
  for (std::size_t k = 0; k != first_.size(); ++k)
    free_.push_back(nodes_[k] * (of == Of::kGpus ? layout.kinds[k].gpus : 1));
  size_ = free_;
  for (const std::int32_t units : size_) free_later_.emplace_back(units, view.now());
  for (const StartedJob& job : view.started()) {
    started(job.index);
    tenant(job.index).left = believed_left(view, job);
  }
}

void UnitLedger::submitted(JobIndex j) {
  Tenant& t = entry(j);
  if (!t.stopped) {
    t.submit = now();
    t.expected.came = view_.wall_now();
  }
  t.stopped = false;
}

std::optional<double> UnitLedger::kept_rank(JobIndex j) const {
  const auto at = tenants_.find(j);
  return at != tenants_.end() && at->second.stopped ? std::optional(at->second.rank) : std::nullopt;
}

UnitLedger::Tenant& UnitLedger::tenant(JobIndex j) {
  Tenant& t = entry(j);
  if (t.job == j) return t;
  const Request& asked = view_.demands()->request(j);
  t.job = j;
  t.id = view_.job(j).id;
  t.left = to_seconds(view_.estimate(j));
  t.units = asked.nodes * (of_ == Of::kGpus ? asked.gpus : 1);
  t.cores = asked.cores;
  t.gpu_share = asked.gpus == 0 ? 0 : asked.gpu_share;
  t.exclusive = asked.exclusive;
  t.application = application(j);
  for (std::int32_t k = 0; k != kinds(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    t.speed.push_back(nodes_[i] == 0 ? 0 : believed_speed(view_, j, k));
    t.fits_one = t.fits_one || (t.speed.back() > 0 && size_[i] >= t.units);
    const NodeKind& kind = view_.demands()->layout().kinds[i];
    if (t.speed.back() > 0 && nodes_[i] >= asked.nodes && kind.gpus >= asked.gpus) t.prefers.push_back(k);
  }
  std::ranges::stable_sort(t.prefers, std::ranges::greater{},
                           [&](std::int32_t a) { return t.speed[static_cast<std::size_t>(a)]; });
  return t;
}

std::int32_t UnitLedger::application(JobIndex j) {
  const Contention* const contention = view_.host().contention();
  std::string_view name = contention == nullptr ? "" : contention->slowdowns().application(j);
  static constexpr const Attribute* kAttribute = find_attribute("application");
  if (name.empty()) name = kAttribute->text(view_.job(j));
  if (name.empty()) return 0;
  return applications_.try_emplace(std::string(name), static_cast<std::int32_t>(applications_.size()) + 1)
      .first->second;
}

double UnitLedger::kept(const Tenant& t, const Tenant& other, std::int32_t kind) const {
  const double alone = t.speed[static_cast<std::size_t>(kind)];
  return alone > 0 ? believed_speed(view_, t.job, kind, other.job) / alone : 0;
}

bool UnitLedger::may_share(const Tenant& a, const Tenant& b, std::int32_t kind) const {
  const NodeKind& nodes = view_.demands()->layout().kinds[static_cast<std::size_t>(kind)];
  if (a.exclusive || b.exclusive || a.cores + b.cores > nodes.core_share()) return false;
  return of_ == Of::kNodes || a.gpu_share + b.gpu_share <= kWholeGpu;
}

void UnitLedger::direct_to(std::int32_t kind, StartDirective& directive) const {
  const NodeSet& elsewhere = elsewhere_[static_cast<std::size_t>(kind)];
  if (elsewhere.size() == 0) directive.kind = kind;
  else directive.outside = elsewhere;
}

std::int32_t UnitLedger::fastest_free(Tenant& t) {
  const auto fits_alone = [&](std::int32_t kind) {
    StartDirective directive;
    direct_to(kind, directive);
    directive.alone = true;
    const Directing directing(view_, &directive);
    return view_.fits_now(view_.queue().find(t.job));
  };
  std::int32_t best = -1;
  double most = 0;
  for (std::int32_t k = 0; k != kinds(); ++k) {
    const double speed = t.speed[static_cast<std::size_t>(k)];
    if (t.units == 0 || free(k) < t.units || speed <= most || !fits_alone(k)) continue;
    best = k;
    most = speed;
  }
  return best;
}

bool UnitLedger::start(Tenant& t, const StartDirective& directive, const std::string& reason) {
  const View::Position p = view_.queue().find(t.job);
  const bool directs = !directive.by_placement();
  if (directs && !view_.available().directs())
    throw SimulationError(
        "a place cannot be given here: without a field 'placement', nodes that jobs have for themselves are counted");
  const Directing directing(view_, directs ? &directive : nullptr);
  const bool fits = view_.fits_now(p);
  if (fits) {
    if (!reason.empty()) view_.explain([&](DecisionObserver& o) { o.reasoned(view_, t.job, reason); });
    view_.start(p, StartReason::kPolicy);
  }
  return fits;
}

void UnitLedger::stop(Tenant& t, const StopOrder& order) {
  stopping_ = true;
  view_.stop(*view_.find_started(t.job), order);
  stopping_ = false;
}

template <class F>
double UnitLedger::rate(Tenant& t, F&& is_there) {
  if (t.kind < 0) return t.slowest;
  std::optional<double> least;
  for (const Common& c : t.partners) {
    if (!is_there(c.with)) continue;
    const double keeps = kept(t, *c.with, t.kind);
    if (!least || keeps < *least) least = keeps;
  }
  return t.speed[static_cast<std::size_t>(t.kind)] * least.value_or(1);
}

double UnitLedger::left(const Tenant& t) const {
  return t.runs ? std::max(0.0, t.left - (now() - t.since) * t.rate) : t.left;
}

/// What is left of the job now, and how fast it goes on from now on.
void UnitLedger::settle(Tenant& t) {
  t.left = t.runs ? left(t) : t.left;
  t.runs = true;
  t.since = now();
  t.rate = rate(t, [](const Tenant*) { return true; });
}

void UnitLedger::take_unit(Tenant& t, std::int64_t unit, std::int32_t kind) {
  std::vector<Tenant*>& there = on_[unit];
  if (there.empty()) --free_[static_cast<std::size_t>(kind)];
  for (Tenant* other : there) link(t, *other, kind, 1);
  there.push_back(&t);
  t.has.emplace_back(unit, kind);
  ++t.at[static_cast<std::size_t>(kind)];
}

void UnitLedger::started(JobIndex j) {
  Tenant& t = tenant(j);
  const StartedJob& job = *view_.find_started(j);
  const MachineLayout& layout = view_.demands()->layout();
  t.run = &job;
  t.start = now();
  t.at.assign(free_.size(), 0);
  const auto take = [&](const NodePart& part) {
    const std::int32_t kind = first_[static_cast<std::size_t>(layout.kind_index(part.node))];
    each_unit(of_, part, [&](std::int64_t unit) { take_unit(t, unit, kind); });
  };
  for (const NodePart& part : job.parts) take(part);
  if (job.parts.empty()) {  // it has whole nodes
    for_each_node(job.nodes, [&](NodeId n) {
      const std::int32_t gpus = layout.kind_of(n).gpus;
      take({n, gpus == 0 ? 0 : ~std::uint64_t{0} >> (64 - gpus)});
    });
  }
  std::optional<double> slowest;
  std::int32_t of_kinds = 0;
  for (std::int32_t k = 0; k != kinds(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    if (t.at[i] == 0) continue;
    ++of_kinds;
    t.kind = k;
    slowest = std::min(slowest.value_or(t.speed[i]), t.speed[i]);
  }
  if (of_kinds != 1) t.kind = -1;
  t.slowest = slowest.value_or(1);
  running_.push_back(&t);
  settle(t);
  for (const Common& c : t.partners) settle(*c.with);
  forget_ends(t);
}

void UnitLedger::vacate(Tenant& t) {
  std::erase(running_, &t);
  forget_ends(t);
  for (const auto& [unit, kind] : t.has) {
    std::vector<Tenant*>& there = on_[unit];
    std::erase(there, &t);
    if (there.empty()) ++free_[static_cast<std::size_t>(kind)];
  }
  for (const Common& c : t.partners) {
    unlink(*c.with, t);
    settle(*c.with);
  }
}

void UnitLedger::ended(JobIndex j) {
  const auto at = tenants_.find(j);
  if (at == tenants_.end()) return;
  Tenant& t = at->second;
  if (t.runs) vacate(t);
  if (!stopping_) {
    tenants_.erase(at);
    return;
  }
  t.left = left(t);
  t.served = served(t);
  t.runs = false;
  t.stopped = true;
  t.run = nullptr;
  t.kind = -1;
  t.at.clear();
  t.has.clear();
  t.partners.clear();
}

void UnitLedger::look_again() {
  for (Tenant* t : running_) {
    t->left = believed_left(view_, *view_.find_started(t->job));
    t->since = now();
    forget_ends(*t);
  }
}

void UnitLedger::forget_ends(Tenant& t) {
  for (const Tenant* x : connected(t)) {
    const std::shared_ptr<Ends> gone = x->ends;
    if (!gone) continue;
    for (const Holding& h : gone->held)
      free_later_[static_cast<std::size_t>(h.kind)].release(view_.now(), h.until, h.units);
    for (Tenant* other : gone->all) other->ends.reset();
  }
}

/// When jobs that share units end, if no other comes.
void UnitLedger::find_ends(const std::vector<Tenant*>& all) {
  struct Going {
    double left, speed;
    bool ended;
  };
  std::vector<Going> going;
  for (const Tenant* t : all) going.push_back({left(*t), 0, false});
  const auto is_there = [&](const Tenant* t) {
    return !going[static_cast<std::size_t>(std::ranges::find(all, t) - all.begin())].ended;
  };
  double passed = 0;
  for (std::size_t n = 0; n != all.size(); ++n) {
    std::optional<std::size_t> first;
    double soonest = 0;
    for (std::size_t i = 0; i != all.size(); ++i) {
      if (going[i].ended) continue;
      going[i].speed = rate(*all[i], is_there);
      const double time = going[i].left / going[i].speed;
      if (first && !(time < soonest)) continue;
      first = i;
      soonest = time;
    }
    for (Going& g : going)
      if (!g.ended) g.left -= soonest * g.speed;
    passed += soonest;
    going[*first].ended = true;
    all[*first]->end = later(view_.now(), at_most_a_century(passed));
  }
}

void UnitLedger::hold(Ends& found, std::int32_t kind, std::int32_t units, Time until) {
  if (units <= 0) return;
  found.held.push_back({kind, units, until});
  free_later_[static_cast<std::size_t>(kind)].overdraw(view_.now(), until, units);
}

const std::vector<UnitLedger::Tenant*>& UnitLedger::ends(Tenant& t) {
  if (t.ends && t.ends->soonest < view_.now()) forget_ends(t);  // some job runs on although it should have ended
  if (!t.ends) {
    const auto found = std::make_shared<Ends>();
    found->all = connected(t);
    find_ends(found->all);
    for (Tenant* x : found->all) {
      x->ends = found;
      found->soonest = std::min(found->soonest, x->end);
      std::vector<std::int32_t> single = x->at;
      for (const Common& c : x->partners) {
        single[static_cast<std::size_t>(c.kind)] -= c.units;
        if (x->id < c.with->id) hold(*found, c.kind, c.units, std::max(x->end, c.with->end));
      }
      for (std::int32_t k = 0; k != kinds(); ++k) hold(*found, k, single[static_cast<std::size_t>(k)], x->end);
    }
  }
  return t.ends->all;
}

const std::vector<Profile>& UnitLedger::free_later() {
  for (Profile& free : free_later_) free.advance(view_.now());
  for (Tenant* t : running_) ends(*t);
  return free_later_;
}

void UnitLedger::suppose(const WhatIf& group) {
  for (Tenant* t : group.coming) {
    t->at.assign(free_.size(), 0);
    t->at[static_cast<std::size_t>(group.kind)] = t->units;
    t->kind = group.kind;
    running_.push_back(t);
  }
  for (Tenant* guest : group.guests)
    link(*group.primary, *guest, group.kind, std::min(guest->units, group.primary->units));
  forget_ends(*group.primary);
}

void UnitLedger::forget(const WhatIf& group) {
  forget_ends(*group.primary);
  for (Tenant* guest : group.guests) {
    unlink(*group.primary, *guest);
    unlink(*guest, *group.primary);
  }
  for (Tenant* t : group.coming) {
    running_.pop_back();
    t->at.clear();
    t->kind = -1;
  }
}

}  // namespace coslice

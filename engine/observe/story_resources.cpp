#include "observe/story_resources.h"

#include <algorithm>
#include <array>
#include <set>

#include "jobs/job_demands.h"
#include "machine/components.h"
#include "machine/core_spread.h"
#include "machine/node_pool.h"
#include "machine/node_set.h"

namespace coslice {
namespace {

bool share_a_gpu(const Parts& a, const Parts& b) {
  return std::ranges::any_of(a, [&](const NodePart& x) {
    return std::ranges::any_of(b, [&](const NodePart& y) { return x.node == y.node && (x.gpus & y.gpus) != 0; });
  });
}

bool has_gpus(const Parts& parts) {
  return std::ranges::any_of(parts, [](const NodePart& p) { return p.gpus != 0; });
}

constexpr std::size_t kLacks = static_cast<std::size_t>(Lack::kLicence) + 1;

class LackFinder {
 public:
  LackFinder(const View& view, JobIndex j)
      : view_(view), demands_(*view.demands()), whole_(demands_.request(j)), request_(&whole_),
        pool_(demands_.layout()) {
    for (const StartedJob& job : view.started()) take(job);
    if (has_components(whole_)) choose_component(demands_.demand(j));
    else choose_unit(demands_.demand(j));
  }

  /// Returns the component of the job that lacks something; -1: it has none.
  std::int32_t component() const { return component_; }

  /// kNothing: it fits beside what runs.
  Lack find(std::int32_t& of) const {
    for (const LicenceUse& use : whole_.licences) {
      of = use.licence;
      if (pool_.licences_left(use.licence) < use.count) return Lack::kLicence;
    }
    of = -1;
    if (unit_ == nullptr || fits_apart_ || fitting_ >= request_->nodes)
      return lacks_cores_together() ? Lack::kCores : Lack::kNothing;
    std::array<std::int32_t, kLacks> nodes{};
    for_each_node(unit_->ranges(), [&](NodeId n) { ++nodes[static_cast<std::size_t>(lack_on(n))]; });
    nodes[0] = 0;
    const auto lack = static_cast<Lack>(std::ranges::max_element(nodes) - nodes.begin());
    of = kind_of_all(lack);
    return lack;
  }

  /// Whether the job runs in a reservation of nodes only, which is closed to it now.
  bool note_own(WaitPhase& phase, JobIndex j) const {
    const std::int32_t only = demands_.only(j);
    if (only < 0) return false;
    const TimeWindows& windows = demands_.reservations()[static_cast<std::size_t>(only)].windows;
    const Time now = view_.wall_now();
    const auto w = std::ranges::find_if(windows, [now](const TimeWindow& x) { return x.to > now; });
    if (w == windows.end() || (w->from <= now && view_.wall_time_after(phase.planned) <= w->to)) return false;
    const bool to_come = w->from > now;
    phase.reservation = only;
    phase.reserved = to_come ? WaitPhase::Reserved::kOwnLater : WaitPhase::Reserved::kOwnShort;
    phase.by_start = to_come ? w->from : w->to;
    return true;
  }

  /// Where other jobs hold what the job lacks: the reservation of nodes in which it runs only, or those for others that
  /// nodes are kept for which are free.
  void note_beside(WaitPhase& phase, JobIndex j) const {
    if (unit_ == nullptr) return;
    const NodeReservations& all = demands_.reservations();
    const Time now = view_.wall_now(), end = view_.wall_time_after(phase.planned);
    if (const std::int32_t only = demands_.only(j); only >= 0) {
      const TimeWindows& windows = all[static_cast<std::size_t>(only)].windows;
      const auto w = std::ranges::find_if(windows, [now](const TimeWindow& x) { return x.to > now; });
      if (w == windows.end()) return;
      phase.beside = {only, true, *w, 0};
      phase.least = phase.most = fitting_;
      return;
    }
    const NodeAccess& access = demands_.accesses()[static_cast<std::size_t>(access_)];
    NodeSet kept(unit_->size());
    for (std::size_t r = 0; r != all.size(); ++r) {
      const auto number = static_cast<std::int32_t>(r);
      if (access.to[r] != NodeAccess::To::kClosed || !view_.available().in_effect(number)) continue;
      const auto w = std::ranges::find_if(all[r].windows, [&](const TimeWindow& x) { return x.to > now; });
      if (w == all[r].windows.end() || w->from >= end) continue;
      bool any = false;
      for_each_node(all[r].nodes, [&](NodeId n) {
        if (!unit_->contains(n) || lack_on(n) != Lack::kNothing) return;
        kept.insert(n);
        any = true;
      });
      if (any && (phase.beside.reservation < 0 || w->from < phase.beside.times.from))
        phase.beside = {number, false, *w, 0};
    }
    phase.beside.nodes = kept.count();
  }

  /// What keeps the job off although it fits beside what runs: reservations of nodes.
  void note_reserved(WaitPhase& phase) const {
    const NodeReservations& all = demands_.reservations();
    const Time now = view_.wall_now(), end = view_.wall_time_after(phase.planned);
    if (unit_ == nullptr) return;
    const NodeAccess& access = demands_.accesses()[static_cast<std::size_t>(access_)];
    WaitPhase noted = phase;
    Time first = kNever;
    const bool enough = enough_open([&](NodeId n) {
      bool is_open = true;
      for (std::size_t r = 0; r != all.size(); ++r) {
        const auto number = static_cast<std::int32_t>(r);
        if (access.to[r] != NodeAccess::To::kClosed || !view_.available().in_effect(number)) continue;
        for (const TimeWindow& w : all[r].windows) {
          if (w.to <= now || w.from >= end || common_nodes(all[r].nodes, as_ranges({n})) == 0) continue;
          is_open = false;
          if (w.from >= first) continue;
          first = w.from;
          noted.reservation = number;
          noted.reserved = w.from <= now ? WaitPhase::Reserved::kNow : WaitPhase::Reserved::kSoon;
          noted.by_start = w.from <= now ? w.to : w.from;
        }
      }
      return is_open;
    });
    if (!enough) phase = std::move(noted);
  }

  /// What keeps the job off although it fits and nothing is reserved: too many nodes go before it may have ended.
  void note_maintenance(WaitPhase& phase, const std::vector<Outage>& maintenance) const {
    if (unit_ == nullptr) return;
    const Time now = view_.wall_now(), end = view_.wall_time_after(phase.planned);
    Time first = kNever;
    const bool enough = enough_open([&](NodeId n) {
      bool stays = true;
      for (const Outage& o : maintenance) {
        if (o.to <= now || o.from >= end || common_nodes(o.nodes, as_ranges({n})) == 0) continue;
        stays = false;
        if (o.from > now) first = std::min(first, o.from);
      }
      return stays;
    });
    if (enough || first == kNever) return;
    phase.why = WaitReason::kMaintenance;
    phase.by_start = first;
  }

  bool holds(const StartedJob& job, Lack lack, std::int32_t of) const {
    const Request& r = demands_.request(job.index);
    if (lack == Lack::kLicence)
      return std::ranges::any_of(r.licences, [of](const LicenceUse& u) { return u.licence == of; });
    const auto has = [&](const Request& c) {
      return !(lack == Lack::kGpus && c.gpus == 0) && !(lack == Lack::kMemory && c.memory_mib == 0 && !c.exclusive);
    };
    const auto there = [&](NodeId n) { return unit_->contains(n) && lack_on(n) == lack; };
    if (has_components(r))
      return std::ranges::any_of(job.parts,
                                 [&](const NodePart& part) { return has(component_of(r, part)) && there(part.node); });
    if (!has(r)) return false;
    bool any = false;
    for_each_node(job.nodes, [&](NodeId n) { any = any || there(n); });
    return any;
  }

 private:
  /// Jobs on whole nodes have no recorded parts: what they ask for is taken where it fits, which it must.
  void take(const StartedJob& job) {
    const Request& r = demands_.request(job.index);
    Parts parts = job.parts;
    if (parts.empty())
      for_each_node(job.nodes, [&](NodeId n) {
        if (fits(r, pool_.room(n))) parts.push_back({n, fitting_gpus(r, pool_.room(n))});
      });
    pool_.take(r, parts);
  }

  void choose_unit(const Demand& demand) {
    for (const std::int32_t u : demand) {
      const NodeSet& nodes = demands_.nodes(demands_.unit(u));
      std::int32_t fitting = 0;
      for_each_node(nodes.ranges(), [&](NodeId n) { fitting += fits(*request_, pool_.room(n)) ? 1 : 0; });
      if (unit_ != nullptr && fitting <= fitting_) continue;
      unit_ = &nodes;
      access_ = demands_.access(u);
      fitting_ = fitting;
    }
  }

  NodeSet fitting(std::int32_t unit) const {
    NodeSet fitting(demands_.layout().node_count());
    demands_.nodes(demands_.unit(unit)).for_each([&](NodeId n) {
      if (fits(demands_.request_of(unit), pool_.room(n))) fitting.insert(n);
    });
    return fitting;
  }

  /// Where not all components fit together, the first that has no nodes when those before it have theirs.
  void choose_component(const Demand& demand) {
    for (const std::int32_t u : demand) {
      std::vector<NodeSet> sets;
      for (const std::int32_t c : demands_.unit(u).components) sets.push_back(fitting(c));
      if (unit_ != nullptr && !enough_apart(whole_, sets)) continue;
      unit_ = &demands_.nodes(demands_.unit(u));
      unit_number_ = u;
      access_ = demands_.access(u);
      fits_apart_ = enough_apart(whole_, sets);
      if (fits_apart_) return;
    }
    if (unit_ == nullptr) return;
    for (const std::int32_t c : demands_.unit(unit_number_).components) {
      ++component_;
      request_ = &demands_.request_of(c);
      unit_ = &demands_.nodes(demands_.unit(c));
      const NodeSet there = fitting(c);
      fitting_ = there.count();
      if (fitting_ < request_->nodes) return;
      Parts parts;
      for_each_node(there.lowest(request_->nodes), [&](NodeId n) {
        parts.push_back({n, fitting_gpus(*request_, pool_.room(n))});
      });
      pool_.take(*request_, parts);
    }
  }

  /// Whether the nodes on which it fits have too few cores for tasks that go where there is room.
  bool lacks_cores_together() const {
    if (unit_ == nullptr || request_->spread.cores == 0) return false;
    NodeSet fitting(unit_->size());
    unit_->for_each([&](NodeId n) {
      if (fits(*request_, pool_.room(n))) fitting.insert(n);
    });
    return lacks_cores(*request_, pool_, fitting);
  }

  /// Whether enough of the nodes on which the job fits beside what runs are open to it.
  template <class IsOpen>
  bool enough_open(const IsOpen& is_open) const {
    if (!has_components(whole_)) {
      std::int32_t open = 0;
      for_each_node(unit_->ranges(), [&](NodeId n) { open += lack_on(n) == Lack::kNothing && is_open(n) ? 1 : 0; });
      return open >= whole_.nodes;
    }
    std::vector<NodeSet> open;
    for (const std::int32_t c : demands_.unit(unit_number_).components) {
      open.emplace_back(demands_.layout().node_count());
      fitting(c).for_each([&](NodeId n) {
        if (is_open(n)) open.back().insert(n);
      });
    }
    return enough_apart(whole_, open);
  }

  Lack lack_on(NodeId n) const {
    const NodeRoom& room = pool_.room(n);
    if (fits(*request_, room)) return Lack::kNothing;
    if (room.exclusive || (request_->exclusive && room.jobs > 0)) return Lack::kNodes;
    const auto enough = [&](GpuShare left) { return left >= request_->gpu_share; };
    if (std::ranges::count_if(room.gpus, enough) < request_->gpus) return Lack::kGpus;
    return room.memory_mib < request_->memory_mib ? Lack::kMemory : Lack::kCores;
  }

  /// The kind of all nodes where that is lacking; -1: there are several.
  std::int32_t kind_of_all(Lack lack) const {
    std::int32_t kind = -1;
    bool several = false;
    for_each_node(unit_->ranges(), [&](NodeId n) {
      if (lack_on(n) != lack) return;
      const std::int32_t k = demands_.layout().kind_index(n);
      several = several || (kind >= 0 && kind != k);
      kind = k;
    });
    return several ? -1 : kind;
  }

  const View& view_;
  const JobDemands& demands_;
  const Request& whole_;
  const Request* request_;  ///< the job's, or that of the component that lacks something
  NodePool pool_;
  const NodeSet* unit_ = nullptr;
  std::int32_t access_ = 0;  ///< of the unit, to reservations of nodes
  std::int32_t fitting_ = 0;
  std::int32_t component_ = -1, unit_number_ = -1;
  bool fits_apart_ = false;  ///< all components have nodes of their own
};

}  // namespace

void GpuPartners::begin(Pair& pair, Time t) {
  Running& first = running_.at(pair.first);
  Running& second = running_.at(pair.second);
  settle(first, t);
  settle(second, t);
  pair.both_on = true;
  pair.since = t;
  pair.first_lost = first.lost;
  pair.second_lost = second.lost;
}

void GpuPartners::end(Pair& pair, Time t) {
  if (!pair.both_on) return;
  Running& first = running_.at(pair.first);
  Running& second = running_.at(pair.second);
  settle(first, t);
  settle(second, t);
  pair.both_on = false;
  pair.so_far.time += t - pair.since;
  pair.so_far.lost += first.lost - pair.first_lost;
  pair.so_far.other_lost += second.lost - pair.second_lost;
}

void GpuPartners::placed(Time t, JobIndex j, const Parts& parts, double alone, bool sliced) {
  const auto told = told_.find(j);  // its speed, if it is not 1
  const double rate = told == told_.end() ? 1 : told->second;
  if (told != told_.end()) told_.erase(told);
  if (!has_gpus(parts)) return;
  const auto at = running_.insert_or_assign(j, Running{parts, alone, rate, t, 0, true, sliced}).first;
  for (auto& [other, r] : running_) {
    if (other == j || !share_a_gpu(at->second.parts, r.parts)) continue;
    if (sliced && r.sliced) {
      for (const auto& [of, with] : {std::pair(&at->second, other), std::pair(&r, j)})
        if (std::ranges::find(of->beside, with) == of->beside.end()) of->beside.push_back(with);
      continue;
    }
    add_pair(other, j, t);
  }
}

void GpuPartners::add_pair(JobIndex first, JobIndex second, Time t) {
  pairs_.push_back({first, second, {first, second, Duration{0}, 0, 0}, false, false, t, 0, 0});
  if (running_.at(first).on && running_.at(second).on) begin(pairs_.back(), t);
}

void GpuPartners::resized(Time t, JobIndex j, const Parts& parts) {
  Running& own = running_.at(j);
  settle(own, t);
  own.parts = parts;
  own.alone = 0;
  std::set<JobIndex> known;
  for (Pair& p : pairs_) {
    if (p.apart || (p.first != j && p.second != j)) continue;
    const JobIndex other = p.first == j ? p.second : p.first;
    known.insert(other);
    p.apart = !share_a_gpu(parts, running_.at(other).parts);
    if (p.apart) end(p, t);
  }
  for (const auto& [other, r] : running_)
    if (other != j && known.count(other) == 0 && share_a_gpu(parts, r.parts)) add_pair(other, j, t);
}

void GpuPartners::rate_changed(Time t, JobIndex j, double rate) {
  const auto at = running_.find(j);
  if (at == running_.end()) {
    told_[j] = rate;
    return;
  }
  settle(at->second, t);
  at->second.rate = rate;
}

void GpuPartners::pauses(Time t, JobIndex j) {
  const auto at = running_.find(j);
  if (at == running_.end() || !at->second.on) return;
  for (Pair& p : pairs_)
    if (p.first == j || p.second == j) end(p, t);
  settle(at->second, t);
  at->second.on = false;
}

void GpuPartners::goes_on(Time t, JobIndex j) {
  const auto at = running_.find(j);
  if (at == running_.end() || at->second.on) return;
  settle(at->second, t);
  at->second.on = true;
  for (Pair& p : pairs_)
    if (!p.apart && ((p.first == j && running_.at(p.second).on) || (p.second == j && running_.at(p.first).on)))
      begin(p, t);
}

std::optional<GpuSlice> GpuPartners::slice_of(Time t, JobIndex j) {
  const auto at = running_.find(j);
  if (at == running_.end() || at->second.beside.empty()) return std::nullopt;
  settle(at->second, t);
  return GpuSlice{at->second.beside, at->second.ran, at->second.lost};
}

std::vector<GpuTogether> GpuPartners::left(Time t, JobIndex j) {
  std::vector<GpuTogether> out;
  const auto at = running_.find(j);
  if (at == running_.end()) return out;
  std::erase_if(pairs_, [&](Pair& p) {
    if (p.first != j && p.second != j) return false;
    end(p, t);
    GpuTogether both = p.so_far;
    if (p.second == j) std::swap(both.job, both.other), std::swap(both.lost, both.other_lost);
    if (both.time > Duration{0}) out.push_back(both);
    return true;
  });
  running_.erase(at);
  return out;
}

void note_lack(WaitPhase& phase, const View& view, JobIndex j, std::size_t most,
               const std::vector<Outage>& maintenance) {
  if (view.available().by_count()) return;  // nothing but nodes can lack, and any of them will do
  const LackFinder finder(view, j);
  if (finder.note_own(phase, j)) return;
  phase.lack = finder.find(phase.lack_of);
  phase.component = phase.lack == Lack::kLicence || phase.lack == Lack::kNothing ? -1 : finder.component();
  if (phase.lack == Lack::kNothing) {
    finder.note_reserved(phase);
    if (phase.reserved == WaitPhase::Reserved::kNo) finder.note_maintenance(phase, maintenance);
    return;
  }
  if (phase.lack != Lack::kLicence) finder.note_beside(phase, j);
  std::vector<const StartedJob*> holders;
  for (const StartedJob& job : view.started())
    if (finder.holds(job, phase.lack, phase.lack_of)) holders.push_back(&job);
  std::ranges::sort(holders, [](const StartedJob* a, const StartedJob* b) {
    return std::pair(a->expected_end, a->index) < std::pair(b->expected_end, b->index);
  });
  phase.holder_count = holders.size();
  for (std::size_t i = 0; i != std::min(most, holders.size()); ++i) {
    phase.holders.push_back(holders[i]->index);
    phase.holder_ends.push_back(holders[i]->expected_end);
  }
}

}  // namespace coslice

#include "observers/story_lack.h"

#include <algorithm>
#include <array>
#include <vector>

#include "cluster/node_ids.h"
#include "resources/node_pool.h"
#include "sched/job_demands.h"

namespace coslice {
namespace {

constexpr std::size_t kLacks = static_cast<std::size_t>(Lack::kLicence) + 1;

class LackFinder {
 public:
  LackFinder(const View& view, JobIndex j)
      : view_(view), demands_(*view.demands()), request_(demands_.request(j)), pool_(demands_.layout()) {
    for (const StartedJob& job : view.started()) take(job);
    choose_unit(demands_.demand(j));
  }

  /// kNothing: it fits beside what runs.
  Lack find(std::int32_t& of) const {
    for (const LicenceUse& use : request_.licences) {
      of = use.licence;
      if (pool_.licences_left(use.licence) < use.count) return Lack::kLicence;
    }
    of = -1;
    if (unit_ == nullptr || fitting_ >= request_.nodes) return Lack::kNothing;
    std::array<std::int32_t, kLacks> nodes{};
    for_each_node(unit_->ranges(), [&](NodeId n) { ++nodes[static_cast<std::size_t>(lack_on(n))]; });
    nodes[0] = 0;
    const auto lack = static_cast<Lack>(std::max_element(nodes.begin(), nodes.end()) - nodes.begin());
    of = kind_of_all(lack);
    return lack;
  }

  /// Whether the job runs in a reservation of nodes only, and that is not there for it.
  bool note_own(WaitPhase& phase, JobIndex j) const {
    const std::int32_t only = demands_.only(j);
    if (only < 0) return false;
    const TimeWindows& windows = demands_.reservations()[static_cast<std::size_t>(only)].windows;
    const Time now = view_.wall_now();
    const auto w = std::find_if(windows.begin(), windows.end(), [now](const TimeWindow& x) { return x.to > now; });
    if (w == windows.end() || (w->from <= now && view_.wall_time_after(phase.planned) <= w->to)) return false;
    const bool to_come = w->from > now;
    phase.reservation = only;
    phase.reserved = to_come ? WaitPhase::Reserved::kOwnLater : WaitPhase::Reserved::kOwnShort;
    phase.by_start = to_come ? w->from : w->to;
    return true;
  }

  /// What keeps the job off although it fits beside what runs: reservations of nodes.
  void note_reserved(WaitPhase& phase) const {
    const NodeReservations& all = demands_.reservations();
    const Time now = view_.wall_now(), end = view_.wall_time_after(phase.planned);
    if (unit_ == nullptr) return;
    const NodeAccess& access = demands_.accesses()[static_cast<std::size_t>(access_)];
    std::int32_t open = 0;
    Time first = kNever;
    for_each_node(unit_->ranges(), [&](NodeId n) {
      if (lack_on(n) != Lack::kNothing) return;
      bool is_open = true;
      for (std::size_t r = 0; r != all.size(); ++r) {
        const auto number = static_cast<std::int32_t>(r);
        if (access.to[r] != NodeAccess::To::kClosed || !view_.available().in_effect(number)) continue;
        for (const TimeWindow& w : all[r].windows) {
          if (w.to <= now || w.from >= end || common_nodes(all[r].nodes, as_ranges({n})) == 0) continue;
          is_open = false;
          if (w.from >= first) continue;
          first = w.from;
          phase.reservation = number;
          phase.reserved = w.from <= now ? WaitPhase::Reserved::kNow : WaitPhase::Reserved::kSoon;
          phase.by_start = w.from <= now ? w.to : w.from;
        }
      }
      open += is_open ? 1 : 0;
    });
    if (open < request_.nodes) return;
    phase.reserved = WaitPhase::Reserved::kNo;
    phase.reservation = -1;
    phase.by_start = kNever;
  }

  /// What keeps the job off although it fits and nothing is reserved: too many nodes go before it may have ended.
  void note_maintenance(WaitPhase& phase, const std::vector<Outage>& maintenance) const {
    if (unit_ == nullptr) return;
    const Time now = view_.wall_now(), end = view_.wall_time_after(phase.planned);
    std::int32_t open = 0;
    Time first = kNever;
    for_each_node(unit_->ranges(), [&](NodeId n) {
      if (lack_on(n) != Lack::kNothing) return;
      bool stays = true;
      for (const Outage& o : maintenance) {
        if (o.to <= now || o.from >= end || common_nodes(o.nodes, as_ranges({n})) == 0) continue;
        stays = false;
        if (o.from > now) first = std::min(first, o.from);
      }
      open += stays ? 1 : 0;
    });
    if (open >= request_.nodes || first == kNever) return;
    phase.why = Hold::kMaintenance;
    phase.by_start = first;
  }

  bool holds(const StartedJob& job, Lack lack, std::int32_t of) const {
    const Request& r = demands_.request(job.index);
    if (lack == Lack::kLicence)
      return std::any_of(r.licences.begin(), r.licences.end(), [of](const LicenceUse& u) { return u.licence == of; });
    if (lack == Lack::kGpus && r.gpus == 0) return false;
    if (lack == Lack::kMemory && r.memory_mib == 0 && !r.exclusive) return false;
    bool there = false;
    for_each_node(job.nodes, [&](NodeId n) { there = there || (unit_->contains(n) && lack_on(n) == lack); });
    return there;
  }

 private:
  /// Jobs on whole nodes have no parts on record: what they ask for is taken where it fits, which it must.
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
      for_each_node(nodes.ranges(), [&](NodeId n) { fitting += fits(request_, pool_.room(n)) ? 1 : 0; });
      if (unit_ != nullptr && fitting <= fitting_) continue;
      unit_ = &nodes;
      access_ = demands_.access(u);
      fitting_ = fitting;
    }
  }

  Lack lack_on(NodeId n) const {
    const NodeRoom& room = pool_.room(n);
    if (fits(request_, room)) return Lack::kNothing;
    if (room.exclusive || (request_.exclusive && room.jobs > 0)) return Lack::kNodes;
    const auto enough = [&](GpuShare left) { return left >= request_.gpu_share; };
    if (std::count_if(room.gpus.begin(), room.gpus.end(), enough) < request_.gpus) return Lack::kGpus;
    return room.memory_mib < request_.memory_mib ? Lack::kMemory : Lack::kCores;
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
  const Request& request_;
  NodePool pool_;
  const NodeSet* unit_ = nullptr;
  std::int32_t access_ = 0;  ///< of the unit, to reservations of nodes
  std::int32_t fitting_ = 0;
};

}  // namespace

void note_lack(WaitPhase& phase, const View& view, JobIndex j, std::size_t most, const std::vector<Outage>& maintenance) {
  if (view.available().by_count()) return;  // nothing but nodes can lack, and any of them will do
  const LackFinder finder(view, j);
  if (finder.note_own(phase, j)) return;
  phase.lack = finder.find(phase.lack_of);
  if (phase.lack == Lack::kNothing) {
    finder.note_reserved(phase);
    if (phase.reserved == WaitPhase::Reserved::kNo) finder.note_maintenance(phase, maintenance);
    return;
  }
  std::vector<const StartedJob*> holders;
  for (const StartedJob& job : view.started())
    if (finder.holds(job, phase.lack, phase.lack_of)) holders.push_back(&job);
  std::sort(holders.begin(), holders.end(), [](const StartedJob* a, const StartedJob* b) {
    return std::pair(a->expected_end, a->index) < std::pair(b->expected_end, b->index);
  });
  phase.holder_count = holders.size();
  for (std::size_t i = 0; i != std::min(most, holders.size()); ++i) {
    phase.holders.push_back(holders[i]->index);
    phase.holder_ends.push_back(holders[i]->expected_end);
  }
}

}  // namespace coslice

#include "jobs/job_demands.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "core/portable_math.h"
#include "jobs/workflow.h"
#include "machine/components.h"
#include "machine/eligibility.h"
#include "machine/memory_amount.h"
#include "machine/request_in_partition.h"
#include "machine/request_spec.h"

namespace coslice {
namespace {

/// Stands between the partitions of two components, where no partition and no access does.
constexpr std::int32_t kNextComponent = INT32_MAX;

/// The same of a component, which has no cores of other jobs anywhere.
Request in_partition(const MachineLayout& layout, Request request, std::int32_t partition, bool component) {
  request = coslice::in_partition(layout, std::move(request), partition);
  if (component) have_idle_cores(request);
  return request;
}

/// Whether cores have to have numbers. Where no job may have cores of another one, how many are left is all that
/// counts: a partition that lets jobs share then changes nothing but beside whom its jobs may be.
class NumberedCores {
 public:
  NumberedCores(const MachineLayout& layout, const std::vector<Job>& jobs, const RequestTable& requests) {
    for (std::size_t i = 0; i != requests.size(); ++i)
      some_ = some_ || any_component(requests[static_cast<RequestId>(i)], [](const Request& r) { return r.numbered; });
    if (!some_) return;
    std::set<RequestId> asked;
    for (const Job& job : jobs)
      if (job.request >= 0 && static_cast<std::size_t>(job.request) < requests.size()) asked.insert(job.request);
    std::set<std::int32_t> partitions;
    std::vector<Request> all;  // in each of their partitions
    for (const RequestId id : asked)
      each_component(requests[id], [&](const Request& r) {
        for (const std::int32_t p : partitions_of(layout, r))
          partitions.insert(all.emplace_back(in_partition(layout, r, p, has_components(requests[id]))).row_of);
      });
    for (const Request& r : all) {
      const auto comes = [&](std::int32_t partition) { return partitions.count(partition) != 0; };
      rules_ = rules_ || r.many_rows;
      shared_ = shared_ || (!r.exclusive && (r.rows > 1 || std::ranges::any_of(r.over, comes)));
    }
  }
  /// Returns whether needed() is another request than what is asked for, for some request.
  bool change() const { return some_ && !shared_; }
  /// Returns the request with as much of rows as the jobs of the run need.
  Request needed(Request request) const {
    for (Request& c : request.components) c = needed(std::move(c));
    if (!rules_) return without_rows(std::move(request));
    request.numbered = false;
    request.over.clear();
    request.over_first.clear();
    return request;
  }

 private:
  bool some_ = false, rules_ = false, shared_ = false;
};

}  // namespace

JobDemands::JobDemands(const MachineSpec& machine, const std::vector<Job>& jobs, const RequestTable* requests,
                       const EngineOptions& options, const NodeReservations* reservations, bool in_groups)
    : layout_(kinds_of(machine)) {
  static const NodeReservations none;
  reservations_ = reservations != nullptr ? reservations : &none;
  accesses_.push_back({std::vector(reservations_->size(), NodeAccess::To::kClosed)});
  if (requests != nullptr) all_ = *requests;
  limits_ = limits_jobs(*layout_);
  ppn_ = options.ppn(machine);
  const bool divides = divides_gpus(*layout_);
  if (const NumberedCores cores(*layout_, jobs, all_); cores.change())
    all_.change([&](Request r) { return cores.needed(std::move(r)); });
  requests_.reserve(jobs.size());
  demand_of_.reserve(jobs.size());
  for (const Job& job : jobs) {
    RequestId id = job.request;
    if (id == kNoRequest) id = request_of_processes(job.size);
    if (id < 0 || static_cast<std::size_t>(id) >= all_.size())
      throw SimulationError(fmt::format("job {} names the request {}, which is not in the workload", job.id, id));
    if (in_groups) {
      asked_in_groups_.push_back(id);
      id = all_.intern(on_own_nodes(all_[id]));
    }
    requests_.push_back(id);
    demand_of_.push_back(demand_with(id, job));
    const auto j = static_cast<JobIndex>(requests_.size() - 1);
    if (is_moldable(job)) add_sizes(j, job, ppn_);
    if (divides) add_slices(j, job);
  }
  find_tiers();
  // Whether there are nodes for all components of a job, counts of sets of nodes do not say.
  whole_nodes_ = std::ranges::all_of(
      units_, [&](const DemandUnit& u) { return u.components.empty() && owns_nodes(request_of(u)); });
  find_scarce_licences(jobs.size());
  one_count_ = whole_nodes_ && scarce_.empty() && !divides && alike_nodes() && (!in_groups || any_two_fit());
}

RequestId JobDemands::request_of_processes(std::int32_t processes) {
  return all_.intern(coslice::whole_nodes(nodes_for(processes, ppn_), std::min(processes, ppn_)));
}

void JobDemands::add(const Job& job) {
  requests_.push_back(request_of_processes(job.size));
  demand_of_.push_back(demand_with(requests_.back(), job));
}

JobDemands::Asked JobDemands::with_ppn(JobIndex j, const Job& job, std::int32_t ppn) {
  Request request = on_own_nodes(all_[asked_in_groups_[j]]);
  const std::int32_t nodes = nodes_for(job.size, ppn);
  request.memory_mib = mib_on_other_nodes(request.memory_mib, request.nodes, nodes);
  request.nodes = nodes;
  request.cores = std::min(job.size, ppn) * kWholeCore;
  const RequestId id = all_.intern(request);
  return {id, demand_with(id, job)};
}

namespace {

/// Whether both fit on an empty node of the kind.
bool fit_together(const Request& a, const Request& b, const NodeKind& kind) {
  NodeRoom room = empty_room(kind);
  if (!fits(a, room)) return false;
  change_room(room, a, {0, fitting_gpus(a, room)}, 1);
  return fits_in_group(b, room);
}

}  // namespace

const JobDemands::Together& JobDemands::together(std::int32_t demand, std::int32_t other) const {
  const auto [at, is_new] = together_.try_emplace({demand, other});
  Together& found = at->second;
  if (!is_new) return found;
  for (const std::int32_t u : demands_[static_cast<std::size_t>(demand)])
    for (const std::int32_t v : demands_[static_cast<std::size_t>(other)])
      for (const NodeKind& kind : layout_->kinds) {
        const Request &a = request_of(u), &b = request_of(v);
        NodeSet common = nodes(unit(u));
        if (!(common &= nodes(unit(v))).intersects(kind.nodes()) || !fit_together(a, b, kind)) continue;
        return found = {true, a.gpus != 0 && b.gpus != 0 ? kind.gpu_type : -1};
      }
  return found;
}

/// Whether no other job fits beside it on a node, whether it says so or needs all cores.
bool JobDemands::owns_nodes(const Request& r) const {
  const std::vector<NodeKind>& kinds = layout_->kinds;
  if (r.rows > 1 || !r.over.empty()) return false;
  return r.exclusive ||
         (r.gpus == 0 && std::ranges::all_of(kinds, [&](const NodeKind& k) { return r.cores == k.core_share(); }));
}

void JobDemands::find_scarce_licences(std::size_t jobs) {
  const std::vector<Licence>& licences = layout_->licences;
  if (licences.empty()) return;
  std::vector<std::int64_t> left(licences.size());
  std::transform(licences.begin(), licences.end(), left.begin(), [](const Licence& l) { return l.count; });
  for (JobIndex j = 0; j != jobs; ++j) {
    for (const LicenceUse& use : request(j).licences) {
      std::int64_t& n = left[static_cast<std::size_t>(use.licence)];
      n = std::max<std::int64_t>(n - use.count, -1);
    }
  }
  for (std::size_t i = 0; i != left.size(); ++i)
    if (left[i] < 0) scarce_.push_back(static_cast<std::int32_t>(i));
}

/// Whether each job may have any node of the machine, and all prefer the same partition.
bool JobDemands::alike_nodes() const {
  const std::vector<NodeKind>& kinds = layout_->kinds;
  const bool one_tier = std::ranges::all_of(tiers_, [&](std::int32_t t) { return t == tiers_.front(); });
  return one_tier && std::ranges::all_of(kinds, [](const NodeKind& k) { return k.speed == 1; }) &&
         std::ranges::all_of(units_, [&](const DemandUnit& u) { return nodes(u).count() == layout_->node_count(); }) &&
         std::ranges::all_of(demands_, [&](const Demand& d) {
           return d.empty() || unit(d.front()).partition == units_.front().partition;
         });
}

bool JobDemands::one_count_with_windows() const {
  const std::int32_t access = only_access();
  return one_count_ && distinguished_.empty() && access >= 0 && accesses_[static_cast<std::size_t>(access)].only < 0 &&
         std::ranges::all_of(*reservations_, [&](const NodeReservation& r) {
           return !r.floating && r.nodes.count() == layout_->node_count();
         });
}

std::int32_t JobDemands::only_access() const {
  if (units_.empty()) return 0;
  const std::int32_t first = access(0);
  for (std::size_t u = 1; u != units_.size(); ++u)
    if (access(static_cast<std::int32_t>(u)) != first) return -1;
  return first;
}

/// Whether a node surely has room for two jobs as far as others than their cores are concerned.
bool JobDemands::any_two_fit() const {
  std::int64_t most = 0;
  for (const DemandUnit& u : units_) most = std::max(most, request_of(u).memory_mib * request_of(u).nodes);
  return !gpus_asked() && std::ranges::all_of(layout_->kinds, [&](const NodeKind& kind) {
    return kind.memory_mib == 0 || 2 * most <= kind.memory_mib;
  });
}

std::int32_t JobDemands::demand_with(RequestId request, const Job& job) {
  const Applicant who{job.limit, job.user};
  if (has_components(all_[request]))
    return demand_of_components(request, job, reservations_->empty() ? 0 : access_for(job));
  if (reservations_->empty()) return demand_for(request, who);
  const std::int32_t access = access_for(job);
  return demand_of(request, within_reservations(options_of(*layout_, all_[request], who), request, job, access),
                   access);
}

/// One unit for each way to choose a partition for each component; the last component changes its partition first.
std::int32_t JobDemands::demand_of_components(RequestId request, const Job& job, std::int32_t access) {
  const Request whole = all_[request];
  const Applicant who{job.limit, job.user};
  std::vector<RequestId> asked;
  std::vector<std::vector<Option>> options;
  std::vector<std::int32_t> key;
  const bool any = !options_of(*layout_, whole, who).empty();
  for (const Request& c : whole.components) {
    asked.push_back(all_.intern(c));
    std::vector<Option> its = options_of(*layout_, c, who);
    if (!reservations_->empty()) its = within_reservations(std::move(its), asked.back(), job, access);
    for (const Option& o : its) key.push_back(o.partition);
    key.push_back(kNextComponent);
    options.push_back(std::move(its));
  }
  key.push_back(-1 - access);
  const auto [known, is_new] =
      by_partitions_.try_emplace({request, std::move(key)}, static_cast<std::int32_t>(demands_.size()));
  if (!is_new) return known->second;
  demands_.emplace_back();
  if (!any) return known->second;  // licences, or all components without reservations
  for (const std::vector<std::size_t>& way : ways_of(whole, options)) {
    DemandUnit unit{request, options[0][way[0]].partition, 0, {}};
    NodeSet together(layout_->node_count());
    for (std::size_t i = 0; i != way.size(); ++i) {
      together |= options[i][way[i]].nodes;
      unit.components.push_back(unit_for(asked[i], options[i][way[i]], access, true));
    }
    unit.nodes = set_for(together, access);
    demands_[static_cast<std::size_t>(known->second)].push_back(static_cast<std::int32_t>(units_.size()));
    units_.push_back(std::move(unit));
  }
  return known->second;
}

bool is_alike_on_nodes(const Request& r) {
  return !has_components(r) && r.spread.cores == 0 && !r.numbered && r.rows <= 1;
}

bool JobDemands::sizes_nest(JobIndex j) const {
  const std::vector<OfSize>& all = sizes(j);
  const auto demand = [&](const OfSize& s) -> const Demand& { return demands_[static_cast<std::size_t>(s.demand)]; };
  const auto alike = [&](std::int32_t a, std::int32_t b) {
    return unit(a).nodes == unit(b).nodes && unit(a).partition == unit(b).partition &&
           is_alike_on_nodes(request_of(a)) && is_alike_on_nodes(request_of(b));
  };
  return std::all_of(all.begin() + std::min<std::ptrdiff_t>(1, std::ssize(all)), all.end(),
                     [&](const OfSize& s) { return std::ranges::equal(demand(s), demand(all[1]), alike); });
}

/// Partitions and reservations are open to some sizes only: by their nodes and their limits.
void JobDemands::add_sizes(JobIndex j, const Job& job, std::int32_t ppn) {
  const bool in_groups = !asked_in_groups_.empty();
  const Request own = all_[in_groups ? asked_in_groups_[j] : requests_[j]];
  const Request* const asked = job.request != kNoRequest ? &own : nullptr;
  std::vector<OfSize>& sizes = sizes_[j];
  for (const JobSize& s : sizes_of(job, ppn, asked)) {
    const RequestId id = all_.intern(request_of_size(s, ppn, asked));
    const RequestId held = in_groups ? all_.intern(on_own_nodes(all_[id])) : id;
    const std::int32_t demand = demand_with(held, with_size(job, s));
    if (!demands_[static_cast<std::size_t>(demand)].empty()) sizes.push_back({s, id, held, demand});
  }
}

/// Which partitions and reservations admit a job does not depend on the slice: jobs with the same demand have the same
/// slices.
void JobDemands::add_slices(JobIndex j, const Job& job) {
  asked_.push_back(asked(j));
  add_gpu_instances_of(requests_[j], demand_of_[j], job);
  if (!is_moldable(job)) return;
  for (const OfSize& s : sizes_[j]) add_gpu_instances_of(s.request, s.demand, with_size(job, s.size));
}

void JobDemands::add_gpu_instances_of(RequestId request, std::int32_t own, const Job& job) {
  if (demands_[static_cast<std::size_t>(own)].empty()) return;
  const auto [at, is_new] = gpu_instances_.try_emplace(own);
  if (!is_new) return;
  const Request asked = all_[request];
  for (const Request& r : requests_on_gpu_instances(*layout_, asked)) {
    const RequestId id = all_.intern(r);
    const std::int32_t demand = demand_with(id, job);
    if (!demands_[static_cast<std::size_t>(demand)].empty()) at->second.push_back({r.slice, r.slices, id, demand});
  }
}

const std::vector<JobDemands::OfGpuInstance>& JobDemands::gpu_instances(JobIndex j) const {
  static const std::vector<OfGpuInstance> none;
  if (asked_.empty()) return none;
  const auto at = gpu_instances_.find(asked_[j].demand);
  return at == gpu_instances_.end() ? none : at->second;
}

void JobDemands::find_tiers() {
  const std::vector<Partition>& partitions = layout_->partitions;
  constexpr std::int32_t kPlain = 1;  // of jobs that are in no partition, too
  if (std::ranges::all_of(partitions, [](const Partition& p) { return p.tier == kPlain; })) return;
  tiers_.assign(demand_of_.size(), 0);
  const auto note_unit = [&](JobIndex j, const DemandUnit& unit) {
    const std::int32_t p = unit.partition;
    tiers_[j] = std::max(tiers_[j], p < 0 ? kPlain : partitions[static_cast<std::size_t>(p)].tier);
  };
  const auto note = [&](JobIndex j, const Demand& demand) {
    for (const std::int32_t u : demand) {
      note_unit(j, unit(u));
      for (const std::int32_t component : unit(u).components) note_unit(j, unit(component));
    }
  };
  for (JobIndex j = 0; j != tiers_.size(); ++j) note(j, demand(j));
  for (const auto& [j, sizes] : sizes_)
    for (const OfSize& s : sizes) note(j, demands_[static_cast<std::size_t>(s.demand)]);
}

std::int32_t JobDemands::demand_for(RequestId request, const Applicant& who) {
  if (limits_) return demand_of(request, options_of(*layout_, all_[request], who), 0);
  by_request_.resize(all_.size(), -1);
  std::int32_t& known = by_request_[static_cast<std::size_t>(request)];
  if (known < 0) known = demand_of(request, options_of(*layout_, all_[request], who), 0);
  return known;
}

std::int32_t JobDemands::demand_of(RequestId request, const std::vector<Option>& options, std::int32_t access) {
  std::vector<std::int32_t> partitions;
  for (const Option& o : options) partitions.push_back(o.partition);
  if (access != 0) partitions.push_back(-1 - access);  // below each partition
  const auto [it, added] =
      by_partitions_.try_emplace({request, std::move(partitions)}, static_cast<std::int32_t>(demands_.size()));
  if (!added) return it->second;
  Demand demand;
  for (const Option& o : options) demand.push_back(unit_for(request, o, access));
  demands_.push_back(std::move(demand));
  return it->second;
}

std::int32_t JobDemands::unit_for(RequestId asked, const Option& option, std::int32_t access, bool component) {
  const std::int32_t row_of = all_[asked].row_of;
  const bool as_asked = row_of < 0 || row_of == option.partition;
  const RequestId request =
      as_asked ? asked : all_.intern(in_partition(*layout_, all_[asked], option.partition, component));
  const DemandUnit unit{request, option.partition, set_for(option.nodes, access)};
  for (std::size_t u = units_.size(); u-- != 0 && units_[u].request == request;)
    if (units_[u].partition == unit.partition && units_[u].nodes == unit.nodes) return static_cast<std::int32_t>(u);
  units_.push_back(unit);
  return static_cast<std::int32_t>(units_.size()) - 1;
}

std::int32_t JobDemands::set_for(const NodeSet& nodes, std::int32_t access) {
  for (std::size_t s = 0; s != node_sets_.size(); ++s)
    if (access_of_sets_[s] == access && node_sets_[s] == nodes) return static_cast<std::int32_t>(s);
  node_sets_.push_back(nodes);
  access_of_sets_.push_back(access);
  return static_cast<std::int32_t>(node_sets_.size()) - 1;
}

std::int32_t JobDemands::access_for(const Job& job) {
  NodeAccess access = coslice::access_of(*reservations_, job);
  const auto it = std::ranges::find(accesses_, access);
  if (it != accesses_.end()) return static_cast<std::int32_t>(it - accesses_.begin());
  accesses_.push_back(std::move(access));
  return static_cast<std::int32_t>(accesses_.size()) - 1;
}

/// Of each option, the nodes of reservations that are for the job come first, each by itself; a reservation that the
/// job names has all of them, and one that floats and is closed has none.
std::vector<Option> JobDemands::within_reservations(std::vector<Option> options, RequestId request, const Job& job,
                                                    std::int32_t access) const {
  const NodeAccess& how = accesses_[static_cast<std::size_t>(access)];
  std::vector<Option> out;
  const auto add = [&](std::int32_t partition, NodeSet nodes) {
    if (nodes.count() >= all_[request].nodes) out.push_back({partition, std::move(nodes)});
  };
  const auto set_of = [this](const NodeRanges& nodes) { return NodeSet(layout_->node_count(), nodes); };
  for (Option& o : options)
    for (std::size_t r = 0; r != reservations_->size(); ++r)
      if ((*reservations_)[r].floating && how.to[r] == NodeAccess::To::kClosed)
        o.nodes -= set_of((*reservations_)[r].nodes);
  if (how.only >= 0) {
    const NodeReservation& only = (*reservations_)[static_cast<std::size_t>(how.only)];
    if (job.limit > only.longest()) return {};
    for (const Option& o : options) add(o.partition, set_of(only.nodes) &= o.nodes);
    return out;
  }
  for (Option& o : options) {
    for (std::size_t r = 0; r != reservations_->size(); ++r)
      if (how.to[r] == NodeAccess::To::kOwn) add(o.partition, set_of((*reservations_)[r].nodes) &= o.nodes);
    add(o.partition, std::move(o.nodes));
  }
  return out;
}

double JobDemands::slowest(JobIndex j) const {
  double slowest = 0;
  for (const std::int32_t u : demand(j))
    for (const NodeKind& kind : layout_->kinds)
      if (may_have(unit(u), kind)) slowest = slowest == 0 ? kind.speed : std::min(slowest, kind.speed);
  return slowest == 0 ? 1 : slowest;
}

}  // namespace coslice

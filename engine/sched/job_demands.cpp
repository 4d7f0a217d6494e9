#include "sched/job_demands.h"

#include <algorithm>

#include <fmt/format.h>

#include "cluster/node_ids.h"
#include "core/error.h"

namespace coslice {

JobDemands::JobDemands(const MachineSpec& machine, const std::vector<Job>& jobs, const RequestTable* requests,
                       const EngineOptions& options)
    : layout_(machine.layout) {
  if (requests != nullptr) all_ = *requests;
  limits_ = std::any_of(layout_->partitions.begin(), layout_->partitions.end(),
                        [](const Partition& p) { return p.max_time || p.max_nodes || !p.users.empty(); });
  const std::int32_t ppn = options.ppn(machine);
  requests_.reserve(jobs.size());
  demand_of_.reserve(jobs.size());
  for (const Job& job : jobs) {
    RequestId id = job.request;
    if (id == kNoRequest) id = all_.intern(coslice::whole_nodes(nodes_for(job.size, ppn), std::min(job.size, ppn)));
    if (id < 0 || static_cast<std::size_t>(id) >= all_.size())
      throw SimulationError(fmt::format("job {} names the request {}, which is not in the workload", job.id, id));
    requests_.push_back(id);
    demand_of_.push_back(demand_for(id, {job.limit, job.user}));
  }
  find_tiers();
}

void JobDemands::find_tiers() {
  const std::vector<Partition>& partitions = layout_->partitions;
  constexpr std::int32_t kPlain = 1;  // of jobs that are in no partition, too
  if (std::all_of(partitions.begin(), partitions.end(), [](const Partition& p) { return p.tier == kPlain; })) return;
  tiers_.assign(demand_of_.size(), 0);
  for (JobIndex j = 0; j != tiers_.size(); ++j)
    for (const std::int32_t u : demand(j)) {
      const std::int32_t p = unit(u).partition;
      tiers_[j] = std::max(tiers_[j], p < 0 ? kPlain : partitions[static_cast<std::size_t>(p)].tier);
    }
}

std::int32_t JobDemands::demand_for(RequestId request, const Applicant& who) {
  if (limits_) return demand_of(request, options_of(*layout_, all_[request], who));
  if (by_request_.size() <= static_cast<std::size_t>(request)) by_request_.resize(all_.size(), -1);
  std::int32_t& known = by_request_[static_cast<std::size_t>(request)];
  if (known < 0) known = demand_of(request, options_of(*layout_, all_[request], who));
  return known;
}

std::int32_t JobDemands::demand_of(RequestId request, const std::vector<Option>& options) {
  std::vector<std::int32_t> partitions;
  for (const Option& o : options) partitions.push_back(o.partition);
  const auto [it, added] =
      by_partitions_.try_emplace({request, std::move(partitions)}, static_cast<std::int32_t>(demands_.size()));
  if (!added) return it->second;
  const Request& r = all_[request];
  whole_nodes_ = whole_nodes_ && r.exclusive && r.licences.empty();
  Demand demand;
  for (const Option& o : options) demand.push_back(unit_for(request, o));
  demands_.push_back(std::move(demand));
  return it->second;
}

std::int32_t JobDemands::unit_for(RequestId request, const Option& option) {
  const DemandUnit unit{request, option.partition, set_for(option.nodes)};
  for (std::size_t u = units_.size(); u-- != 0 && units_[u].request == request;)
    if (units_[u].partition == unit.partition) return static_cast<std::int32_t>(u);
  units_.push_back(unit);
  return static_cast<std::int32_t>(units_.size()) - 1;
}

std::int32_t JobDemands::set_for(const NodeSet& nodes) {
  const auto it = std::find(node_sets_.begin(), node_sets_.end(), nodes);
  if (it != node_sets_.end()) return static_cast<std::int32_t>(it - node_sets_.begin());
  node_sets_.push_back(nodes);
  return static_cast<std::int32_t>(node_sets_.size()) - 1;
}

double JobDemands::slowest(JobIndex j) const {
  double slowest = 0;
  for (const std::int32_t u : demand(j)) {
    const NodeSet& set = nodes(unit(u));
    for (const NodeKind& kind : layout_->kinds) {
      NodeRanges of_kind;
      of_kind.append(kind.first, kind.first + kind.count - 1);
      if (set.intersects(of_kind)) slowest = slowest == 0 ? kind.speed : std::min(slowest, kind.speed);
    }
  }
  return slowest == 0 ? 1 : slowest;
}

}  // namespace coslice

#include "metrics/offered_loads.h"

#include <algorithm>
#include <utility>

#include "jobs/transform.h"
#include "metrics/machine_summary.h"

namespace coslice {
namespace {

constexpr double kClearly = 1.001;  // more than what rounding does

/// GPUs of these kinds, or of those of one type; weighted with the speed of their nodes.
double gpus_of(const MachineLayout& layout, const std::vector<std::int32_t>& kinds) {
  double all = 0;
  for (const std::int32_t k : kinds) {
    const NodeKind& kind = layout.kinds[static_cast<std::size_t>(k)];
    all += static_cast<double>(kind.count) * kind.gpus * kind.speed;
  }
  return all;
}

std::vector<std::int32_t> kinds_with(const MachineLayout& layout, std::int32_t gpu_type) {
  std::vector<std::int32_t> kinds;
  for (std::size_t k = 0; k != layout.kinds.size(); ++k)
    if (layout.kinds[k].gpus > 0 && layout.kinds[k].gpu_type == gpu_type) kinds.push_back(static_cast<std::int32_t>(k));
  return kinds;
}

/// Of the jobs that run on GPUs of that type only.
double load_of_type(const MachineLayout& layout, const MachineDemand& demand, std::int32_t type) {
  const std::vector<std::int32_t> kinds = kinds_with(layout, type);
  double asked = 0;
  for (const KindsDemand& d : demand.by_kinds) {
    const bool only = std::ranges::all_of(d.kinds, [&](std::int32_t k) {
      const NodeKind& kind = layout.kinds[static_cast<std::size_t>(k)];
      return kind.gpus == 0 || kind.gpu_type == type;
    });
    if (only) asked += d.load.gpus * gpus_of(layout, d.kinds);
  }
  const double there = gpus_of(layout, kinds);
  return there > 0 ? asked / there : 0;
}

void add_licences(std::vector<OfferedLoad>& loads, const MachineLayout& layout, const Workload& workload) {
  const double span = to_seconds(workload.jobs.back().submit - workload.jobs.front().submit);
  std::vector<double> asked(layout.licences.size());
  for (const Job& job : workload.jobs)
    for (const LicenceUse& use : workload.requests[job.request].licences)
      asked[static_cast<std::size_t>(use.licence)] += static_cast<double>(use.count) * to_seconds(job.runtime);
  for (std::size_t i = 0; i != asked.size(); ++i) {
    const auto there = static_cast<double>(layout.licences[i].count);
    if (asked[i] > 0 && there > 0)
      loads.push_back({"licences of " + layout.licences[i].name, span > 0 ? asked[i] / (there * span) : 0});
  }
}

std::vector<OfferedLoad> of_kinds(const MachineSpec& machine, const Workload& workload) {
  const MachineLayout& layout = *machine.layout;
  const MachineDemand demand = describe_demand(machine, workload);
  std::vector<OfferedLoad> loads = {{"cores", demand.load.cores}};
  if (demand.load.memory > 0) loads.push_back({"memory", demand.load.memory});
  if (demand.load.gpus > 0) {
    loads.push_back({"GPUs", demand.load.gpus});
    for (std::size_t t = 0; t != layout.gpu_types.size() && layout.gpu_types.size() > 1; ++t)
      if (const double load = load_of_type(layout, demand, static_cast<std::int32_t>(t)); load > 0)
        loads.push_back({"GPUs of type " + layout.gpu_types[t], load});
  }
  add_licences(loads, layout, workload);
  return loads;
}

bool say_what_they_ask(const Workload& workload) {
  return std::ranges::none_of(workload.jobs, [](const Job& job) { return job.request == kNoRequest; });
}

/// Of the whole machine's resources, the scarcest first.
std::vector<OfferedLoad> of_all_nodes(const MachineSpec& machine, const Workload& workload) {
  if (workload.jobs.empty() || !names_kinds(machine) || !say_what_they_ask(workload))
    return {{"cores", offered_load(workload.jobs, machine.total_cores())}};
  std::vector<OfferedLoad> loads = of_kinds(machine, workload);
  std::ranges::stable_sort(loads, std::ranges::greater{}, &OfferedLoad::load);
  return loads;
}

/// The scarcest resource of nodes that are all that some jobs can have: of a partition, of kinds with a feature.
OfferedLoad scarcest_of_parts(const MachineSpec& machine, const Workload& workload) {
  OfferedLoad out;
  for (const PartDemand& part : demand_of_parts(machine, workload))
    for (const auto& [resource, load] : {std::pair("cores", part.load.cores), std::pair("GPUs", part.load.gpus),
                                         std::pair("memory", part.load.memory)})
      if (load > out.load * kClearly) out = {std::string(resource) + " of " + part.nodes, load};
  return out;
}

}  // namespace

std::vector<OfferedLoad> offered_loads(const MachineSpec& machine, const Workload& workload) {
  std::vector<OfferedLoad> loads = of_all_nodes(machine, workload);
  if (workload.jobs.empty() || !names_kinds(machine) || !say_what_they_ask(workload)) return loads;
  OfferedLoad part = scarcest_of_parts(machine, workload);
  if (part.load > loads.front().load * kClearly) loads.insert(loads.begin(), std::move(part));
  return loads;
}

void set_scarcest_load(Workload& workload, const MachineSpec& machine, double load) {
  const double now = of_all_nodes(machine, workload).front().load;
  const double of_cores = offered_load(workload.jobs, machine.total_cores());
  set_offered_load(workload, machine.total_cores(), now > 0 ? load * of_cores / now : load);
}

}  // namespace coslice

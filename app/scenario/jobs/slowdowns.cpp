#include "scenario/jobs/slowdowns.h"

#include "api/scripts/slowdown_script.h"
#include "jobs/slowdown.h"
#include "jobs/transform.h"
#include "scenario/jobs/resource_profiles.h"
#include "scenario/jobs/slowdown_table.h"

namespace coslice {

std::unique_ptr<SlowdownModel> make_slowdowns(const Scenario& scenario, const Workload& workload,
                                              const ResourceProfiles& profiles, std::int64_t& unknown) {
  const auto seed = static_cast<std::uint64_t>(scenario.seed);
  const std::vector<std::string> gpu_types = kinds_of(scenario.machine)->gpu_types;
  unknown = 0;
  switch (scenario.slowdown.model) {
    case SlowdownSpec::Model::kNone: return nullptr;
    case SlowdownSpec::Model::kDrawn: return std::make_unique<DrawnSlowdowns>(seed, workload.jobs.size());
    case SlowdownSpec::Model::kTable:
      return table_slowdowns(read_slowdown_table(scenario.slowdown.table), scenario.slowdown, seed, workload, gpu_types,
                             unknown);
    case SlowdownSpec::Model::kScript:
      return load_slowdown_script(read_script(scenario.slowdown.script), scenario.slowdown.params, workload, gpu_types,
                                  script_context(scenario.slowdown.script, scenario.limits.for_host(), seed));
    case SlowdownSpec::Model::kByResources:
      return std::make_unique<ResourceSlowdowns>(
          seed,
          resource_profiles(scenario.slowdown.resources, scenario.slowdown.mix, seed, workload, profiles, unknown),
          scenario.slowdown.conflicts);
  }
  return nullptr;
}

void adjust_to_machine(const Scenario& scenario, const SlowdownModel& model, Workload& workload) {
  const MachineSpec& m = scenario.machine;
  SizeAdjustment adjustment = scenario.workload.adjustment;
  adjustment.seed = static_cast<std::uint64_t>(scenario.seed);
  adjust_sizes(workload, model, {m.nodes, m.processors, m.cores}, adjustment);
}

}  // namespace coslice

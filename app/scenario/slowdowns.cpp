#include "scenario/slowdowns.h"

#include <filesystem>

#include "api/slowdown_script.h"
#include "scenario/resource_profiles.h"
#include "scenario/slowdown_table.h"
#include "workload/resource_slowdowns.h"

namespace coslice {

namespace {

std::unique_ptr<SlowdownModel> scripted(const Scenario& scenario, const Workload& workload) {
  const std::string& path = scenario.slowdown.script;
  std::string folder = std::filesystem::path(path).parent_path().string();
  if (folder.empty()) folder = std::string(".");
  SlowdownScriptContext context;
  context.limits = scenario.limits.for_host();
  context.roots = {{folder, "", folder}, {"", "lib/", "the built-in library"}};
  return load_slowdown_script(read_script(path), scenario.slowdown.params, workload, context);
}

}  // namespace

std::unique_ptr<SlowdownModel> make_slowdowns(const Scenario& scenario, const Workload& workload,
                                              const ResourceProfiles& profiles, std::int64_t& unknown) {
  const auto seed = static_cast<std::uint64_t>(scenario.seed);
  unknown = 0;
  switch (scenario.slowdown.model) {
    case SlowdownSpec::Model::kNone: return nullptr;
    case SlowdownSpec::Model::kDrawn: return std::make_unique<DrawnSlowdowns>(seed, workload.jobs.size());
    case SlowdownSpec::Model::kTable:
      return table_slowdowns(read_slowdown_table(scenario.slowdown.table), scenario.slowdown.applications, seed,
                             workload, unknown);
    case SlowdownSpec::Model::kScript: return scripted(scenario, workload);
    case SlowdownSpec::Model::kByResources:
      return std::make_unique<ResourceSlowdowns>(
          seed,
          resource_profiles(scenario.slowdown.resources, scenario.slowdown.mix, seed, workload, profiles, unknown),
          scenario.slowdown.conflicts);
  }
  return nullptr;
}

}  // namespace coslice

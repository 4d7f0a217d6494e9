// What explanations must know of a scenario beside its run.
#pragma once

#include <algorithm>
#include <vector>

#include "scenario/run/runner.h"

namespace coslice {

/// Returns all maintenance that is planned.
inline std::vector<Outage> planned_maintenance(const Runner& runner) {
  const std::vector<Job>& jobs = runner.workload().jobs;
  if (!runner.scenario().outages.any() || jobs.empty()) return {};
  std::vector<Outage> all = outage_options(runner.scenario(), jobs.front().submit, jobs.back().submit).plan.listed;
  std::erase_if(all, [](const Outage& o) { return o.kind != OutageKind::kMaintenance; });
  return all;
}

}  // namespace coslice

#include "scenario/job_place.h"

#include "core/error.h"
#include "scenario/keys.h"
#include "scenario/literal_jobs.h"
#include "scenario/load.h"

namespace coslice {

Place place_of_literal_job(const Scenario& scenario, std::int64_t id) {
  if (!scenario.workload.jobs) return {};
  const std::vector<JobSpec>& jobs = *scenario.workload.jobs;
  std::size_t i = 0;
  while (i < jobs.size() && literal_job_id(jobs[i], i) != id) ++i;
  if (i == jobs.size()) return {};
  try {
    const Value tree = read_scenario_tree(scenario.file);
    const Value* list = find_path(tree, "workload.jobs");
    if (list == nullptr || list->list() == nullptr || list->list()->size() != jobs.size()) return {};
    return (*list->list())[i].place;
  } catch (const InputError&) {
    return {};
  }
}

}  // namespace coslice

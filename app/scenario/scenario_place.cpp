#include "scenario/scenario_place.h"

#include "core/error.h"
#include "jobs/literal_jobs.h"
#include "scenario/key_tables.h"
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

void fail_at_key(const Scenario& scenario, std::string path, std::string problem, std::string expected) {
  Diagnostic said{scenario.file, 0, std::move(problem), std::move(expected), "", ""};
  try {
    const Value tree = read_scenario_tree(scenario.file);
    const Value* at = find_path(tree, path);
    for (std::size_t dot = path.rfind('.'); at == nullptr && dot != path.npos; dot = path.rfind('.')) {
      path.resize(dot);
      at = find_path(tree, path);
    }
    if (at != nullptr && at->place.source) {
      said.file = at->place.source->name;
      said.line = at->place.line;
    }
  } catch (const InputError&) {  // the file is no longer there
  }
  throw InputError(said);
}

void fail_at_job(const Scenario& scenario, std::int64_t id, std::string problem, std::string expected) {
  const Place place = place_of_literal_job(scenario, id);
  if (place.source) fail_at(place, std::move(problem), std::move(expected));
  const WorkloadSpec& spec = scenario.workload;
  if (const std::string& source = !spec.trace.empty() ? spec.trace : spec.script; !source.empty())
    throw InputError({source, 0, std::move(problem), std::move(expected)});
  fail_at_key(scenario, "workload", std::move(problem), std::move(expected));
}

}  // namespace coslice

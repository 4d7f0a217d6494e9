// What is refused once policies and jobs are known; reservations for jobs that are not there.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "jobs/job_sizes.h"
#include "jobs/workflow.h"
#include "scenario/keys.h"
#include "scenario/load.h"
#include "scenario/run/runner.h"
#include "scenario/scenario_place.h"

namespace coslice {

/// How the file has limits ended means nothing to a policy that --policy puts in place of its own, and whose limits are
/// of work.
void Runner::drop_ends_of_limits(const Policy& policy) {
  if (!policy.coscheduling() || scenario_.file.empty()) return;
  const Value tree = read_scenario_tree(scenario_.file);
  const auto in_file = [&](const char* key) { return find_path(tree, key) != nullptr; };
  if (!in_file("engine.limit_check") && !in_file("engine.over_limit") && !in_file("engine.kill_wait")) return;
  EngineOptions& engine = scenario_.engine;
  if (!engine.limit_check && engine.over_limit == Duration{0} && engine.kill_wait == Duration{0}) return;
  engine.limit_check.reset();
  engine.first_limit_check.reset();
  engine.over_limit = engine.kill_wait = Duration{0};
  warnings_.push_back(fmt::format(
      "{}: under policy '{}' jobs end at their limits: engine.limit_check, over_limit and kill_wait are left out",
      scenario_.file, policy.description().name));
}

/// What a text of sizes says is known when the job is.
void Runner::check_sizes() const {
  if (!any_moldable(workload_)) return;
  for (const Job& job : workload_.jobs) {
    if (!is_moldable(job)) continue;
    try {
      const bool asks = job.request != kNoRequest;
      sizes_of(job, scenario_.engine.ppn(scenario_.machine), asks ? &workload_.requests[job.request] : nullptr);
    } catch (const InputError& e) {
      fail_at_job(scenario_, job.id, fmt::format("job {} has wrong {}", job.id, e.diagnostic().problem),
                  e.diagnostic().expected);
    }
  }
}

/// Of each policy, what its run has that has no meaning beside something else.
void Runner::refuse_together() const {
  for (std::size_t i = 0; i != features_.size(); ++i) {
    const FeatureSet jobs = features_of(scenario_, workload_, features_[i]);
    coslice::refuse_together(scenario_, workload_, descriptions_[i].name, found_[i].script.name, features_[i] | jobs);
  }
}

/// What jobs wait for, where it did not come from the scenario itself: a trace or a script may say what cannot be.
void Runner::check_workflow() const {
  const WorkloadSpec& spec = scenario_.workload;
  const std::string& source = !spec.trace.empty() ? spec.trace : !spec.script.empty() ? spec.script : scenario_.file;
  if (const auto problem = workflow_of(workload_.jobs, scenario_.engine.dependencies).problem)
    throw InputError(
        {source, 0, fmt::format("job {} {}", workload_.jobs[problem->job].id, problem->what), problem->expected});
  check_sizes();
}

/// A number that is no job's is probably a slip: nothing would run in the reservation.
void Runner::warn_of_reserved_jobs() {
  for (const ReservationSpec& r : scenario_.reservations) {
    std::vector<std::string> missing;
    for (const std::int64_t id : r.jobs)
      if (std::none_of(workload_.jobs.begin(), workload_.jobs.end(), [id](const Job& j) { return j.id == id; }))
        missing.push_back(std::to_string(id));
    if (missing.empty()) continue;
    warnings_.push_back(fmt::format("reservation '{}' is for {} {}, which the workload does not have", r.name,
                                    missing.size() == 1 ? "job" : "jobs", fmt::join(missing, ", ")));
  }
}

}  // namespace coslice

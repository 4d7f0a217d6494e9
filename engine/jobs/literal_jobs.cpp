#include "jobs/literal_jobs.h"

#include <algorithm>
#include <unordered_set>

#include "core/error.h"
#include "jobs/attributes.h"
#include "jobs/job_spec.h"
#include "jobs/size_rules.h"
#include "jobs/workflow.h"

namespace coslice {

std::int64_t literal_job_id(const JobSpec& spec, std::size_t index) {
  return spec.job.id >= 0 ? spec.job.id : static_cast<std::int64_t>(index) + 1;
}

std::optional<LiteralProblem> literal_workflow_problem(const std::vector<JobSpec>& jobs) {
  const auto special = [](const JobSpec& s) { return !s.texts.empty(); };
  if (std::ranges::none_of(jobs, special)) return std::nullopt;
  Workload w;  // executable numbers and texts are all that counts
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Job job = jobs[i].job;
    job.id = literal_job_id(jobs[i], i);
    set_extras(job, jobs[i], w.extras);
    const auto problem = [&](std::string what, std::string expected) {
      return LiteralProblem{i, std::move(what), std::move(expected)};
    };
    if (job.extras->preceding >= 0 && !find_attribute("depends")->text(job).empty())
      return problem("has both after and depends", "one of the two");
    try {
      array_size(job);
      job.size = std::max({1, job.size, jobs[i].nodes});
      if (!job.limit_given) job.limit = job.runtime;
    } catch (const InputError& e) {
      return problem("has wrong " + e.diagnostic().problem, e.diagnostic().expected);
    }
    try {
      check_said_sizes(job, jobs[i].nodes);
    } catch (const InputError& e) {
      return problem(e.diagnostic().problem, e.diagnostic().expected);
    }
    w.jobs.push_back(job);
  }
  expand_arrays(w);
  std::ranges::stable_sort(w.jobs, {}, &Job::submit);
  const Workflow workflow = workflow_of(w.jobs, false);
  const auto& found = workflow.problem ? workflow.problem : workflow.unknown;
  if (!found) return std::nullopt;
  const Job& job = w.jobs[found->job];
  const auto element = array_element(job);
  std::size_t i = 0;
  while (i + 1 < jobs.size() && literal_job_id(jobs[i], i) != job.id &&
         !(element && literal_job_id(jobs[i], i) == element->array))
    ++i;
  return LiteralProblem{i, found->what, found->expected};
}

std::optional<LiteralProblem> literal_problem(const std::vector<JobSpec>& jobs) {
  std::unordered_set<std::int64_t> ids;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (auto [problem, expected] = problem_of(jobs[i]); !problem.empty())
      return LiteralProblem{i, std::move(problem), std::move(expected)};
    const std::int64_t id = literal_job_id(jobs[i], i);
    if (!ids.insert(id).second)
      return LiteralProblem{i, "has the id of an earlier job, " + std::to_string(id), "a different id for each job"};
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::int64_t after = jobs[i].extras.preceding;
    if (after >= 0 && ids.count(after) == 0)
      return LiteralProblem{i, "runs after job " + std::to_string(after), "the id of a job in the list"};
  }
  return literal_workflow_problem(jobs);
}

Workload literal_workload(const std::vector<JobSpec>& jobs, std::int32_t processes_per_node,
                          const MachineSpec& machine) {
  Workload w;
  w.name = "jobs";
  w.records = std::ssize(jobs);
  std::set<std::string> former;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    w.jobs.push_back(job_of(jobs[i], static_cast<std::int64_t>(i) + 1, processes_per_node, w.extras));
    request_for(w.jobs.back(), jobs[i], machine, w.requests);
    former.insert(jobs[i].former_names.begin(), jobs[i].former_names.end());
  }
  w.warnings = former_name_warnings(former);
  expand_arrays(w);
  std::ranges::stable_sort(w.jobs, {}, &Job::submit);
  return w;
}

}  // namespace coslice

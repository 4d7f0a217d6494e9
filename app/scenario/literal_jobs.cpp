#include "scenario/literal_jobs.h"

#include <algorithm>

#include "workload/job_requests.h"

namespace coslice {
std::int64_t literal_job_id(const JobSpec& spec, std::size_t index) {
  return spec.job.id >= 0 ? spec.job.id : static_cast<std::int64_t>(index) + 1;
}

Workload literal_workload(const std::vector<JobSpec>& jobs, std::int32_t processes_per_node,
                          const MachineLayout* layout) {
  Workload w;
  w.name = "jobs";
  w.records = static_cast<std::int64_t>(jobs.size());
  std::set<std::string> former;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    w.jobs.push_back(job_of(jobs[i], static_cast<std::int64_t>(i) + 1, processes_per_node, w.texts));
    request_for(w.jobs.back(), jobs[i].nodes, jobs[i].request, layout, w.requests);
    former.insert(jobs[i].former_names.begin(), jobs[i].former_names.end());
  }
  w.warnings = former_name_warnings(former);
  std::stable_sort(w.jobs.begin(), w.jobs.end(), [](const Job& a, const Job& b) { return a.submit < b.submit; });
  return w;
}

}  // namespace coslice

#include "workload/size_requests.h"

#include <algorithm>
#include <set>

#include "resources/eligibility.h"
#include "resources/gpu_slices.h"
#include "workload/workflow.h"

namespace coslice {

namespace {
/// Processes of the job on each of so many nodes.
std::int32_t on_each(const Job& job, std::int32_t nodes) { return job.size / nodes + (job.size % nodes != 0 ? 1 : 0); }
}  // namespace

std::vector<JobSize> sizes_of(const Job& job, std::int32_t ppn, const Request* asked) {
  if (asked == nullptr) return job_sizes(job, ppn);
  return job_sizes(job, std::max(1, on_each(job, asked->nodes)), asked->nodes);
}

Request request_of_size(const JobSize& size, std::int32_t ppn, const Request* asked) {
  if (asked == nullptr) return whole_nodes(size.nodes, std::min(size.processes, ppn));
  Request request = *asked;
  request.nodes = size.nodes;
  return request;
}

Job with_size(const Job& job, const JobSize& size) {
  Job sized = job;
  sized.size = size.processes;
  sized.runtime = size.runtime;
  sized.limit = size.limit;
  return sized;
}

void add_requests_of_sizes(Workload& workload, std::int32_t ppn) {
  for (const Job& job : workload.jobs) {
    if (job.request == kNoRequest || !is_moldable(job)) continue;
    const Request asked = workload.requests[job.request];
    for (const JobSize& s : sizes_of(job, ppn, &asked))
      workload.requests.intern(request_of_size(s, ppn, &asked));
  }
}

void add_requests_of_slices(Workload& workload, const MachineLayout& layout) {
  std::set<RequestId> seen;
  for (const Job& job : workload.jobs) {
    if (job.request == kNoRequest || !seen.insert(job.request).second) continue;
    const Request asked = workload.requests[job.request];
    for (const Request& r : requests_on_slices(layout, asked)) workload.requests.intern(r);
  }
}

}  // namespace coslice

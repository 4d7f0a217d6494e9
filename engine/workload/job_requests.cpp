#include "workload/job_requests.h"

#include <algorithm>

#include <fmt/format.h>

#include "resources/eligibility.h"

namespace coslice {

namespace {

std::int32_t parts_of(std::int32_t whole, std::int32_t parts) { return whole / parts + (whole % parts != 0 ? 1 : 0); }

Request with_table(const Job& job, std::int32_t nodes, const RequestSpec& spec, const MachineLayout& layout) {
  if (nodes > 0 && spec.nodes > 0 && nodes != spec.nodes) {
    fail_at(spec.place, fmt::format("job {} has nodes = {}, and request.nodes = {}", job.id, nodes, spec.nodes),
            "one of the two");
  }
  if (job.requested_memory_kb > 0 && spec.memory_mib + spec.memory_per_core_mib + spec.memory_per_gpu_mib > 0) {
    fail_at(spec.place, fmt::format("job {} says its memory in two ways", job.id),
            "memory, which is for each process, or request.memory");
  }
  const std::int32_t n = std::max({nodes, spec.nodes, 1});
  const std::int32_t processes = nodes > 0 ? 1 : parts_of(job.size, n);
  Request r = make_request(spec, n, processes, layout);
  if (r.memory_mib == 0 && job.requested_memory_kb > 0)  // what the job says itself: for each process
    r.memory_mib = (std::int64_t{job.requested_memory_kb} * processes + 1023) / 1024;
  return r;
}

}  // namespace

void request_for(Job& job, std::int32_t nodes, const std::optional<RequestSpec>& spec, const MachineSpec& machine,
                 RequestTable& requests) {
  if (!spec && (nodes == 0 || !names_kinds(machine))) return;
  Request r = spec ? with_table(job, nodes, *spec, *kinds_of(machine)) : whole_nodes(nodes, 0);
  if (!spec && job.requested_memory_kb > 0)
    r.memory_mib = (std::int64_t{job.requested_memory_kb} * parts_of(job.size, nodes) + 1023) / 1024;
  if (spec && nodes > 0) job.size = r.nodes * std::max(1, r.cores / kWholeCore);
  job.request = requests.intern(r);
}

}  // namespace coslice

// What moldable jobs ask for with each of their sizes, on a machine whose nodes differ.
#pragma once

#include <cstdint>
#include <vector>

#include "resources/request_table.h"
#include "workload/job_sizes.h"
#include "workload/workload.h"

namespace coslice {

/// The sizes of the job, as job_sizes(). `asked` is its request, null where it asks for whole nodes by its processes: its
/// nodes are those of the first size, and its processes on each of them those of all sizes.
std::vector<JobSize> sizes_of(const Job& job, std::int32_t ppn, const Request* asked);

/// The same request on the nodes of that size.
Request request_of_size(const JobSize& size, std::int32_t ppn, const Request* asked);

/// The job as it is with that size, but for what it asks for.
Job with_size(const Job& job, const JobSize& size);

/// Puts what moldable jobs ask for with each size into the workload's requests.
void add_requests_of_sizes(Workload& workload, std::int32_t ppn);

/// Puts what jobs would ask for on slices of GPUs (requests_on_slices) into the workload's requests.
void add_requests_of_slices(Workload& workload, const MachineLayout& layout);

}  // namespace coslice

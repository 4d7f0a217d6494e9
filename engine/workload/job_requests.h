// What a job asks for that a scenario or a script writes down.
#pragma once

#include <optional>

#include "resources/layout.h"
#include "resources/request_spec.h"
#include "resources/request_table.h"
#include "workload/job.h"

namespace coslice {

/// Sets the job's request, where it says one or says nodes; what asks by its processes alone is left to
/// request_by_trace() (workload/trace_requests.h). `nodes` is 0 where the job says processes; where it says nodes and has
/// a table `request`, it has a process for each core that it asks for, at least one on each node. Without a table its
/// nodes are its own; on a machine that names no kinds it then has no request. Throws InputError as make_request() does.
void request_for(Job& job, std::int32_t nodes, const std::optional<RequestSpec>& spec, const MachineSpec& machine,
                 RequestTable& requests);

}  // namespace coslice

// Workloads written in Lua: a script that yields jobs (lua/meta/workload.lua).
#pragma once

#include <cstdint>
#include <vector>

#include "api/scripts/loaded_script.h"
#include "formats/recorded.h"
#include "jobs/slowdown.h"
#include "jobs/workload.h"
#include "machine/machine.h"

namespace coslice {

struct WorkloadScriptContext : ScriptContext {
  MachineSpec machine;
  std::int32_t processes_per_node = 0;  ///< of a job that gives `nodes`; 0: one per core
};

/// Runs the script to its end and collects the jobs that it yields, in order. A job that gives `nodes` has
/// that many processes on each. Throws InputError for a script or a job that is wrong, and for an error that it raises.
/// What jobs use, by id, is added to `profiles`, for those that say it. Users, groups, queues and executables that it
/// gives by name are numbered in the order of their first jobs, and are in `names`.
Workload run_workload_script(const Script& script, const Value& params, const WorkloadScriptContext& context,
                             ResourceProfiles* profiles = nullptr,
                             std::vector<RecordedWorkload::Name>* names = nullptr);

/// Returns what the script declares, without running it. Throws InputError.
std::vector<ParamSpec> workload_script_params(const Script& script, const ScriptContext& context);

}  // namespace coslice

// Jobs of a workload, looked at and changed one by one in Lua: a script with a function `job` (lua/meta/workload.lua).
#pragma once

#include <vector>

#include "api/scripts/loaded_script.h"
#include "jobs/workload.h"

namespace coslice {

/// Calls the script's function with each job, in order. What it returns takes the job's place: the job as it is or
/// changed, none, or several. Says in the notes how many were left out, changed and added. Times that the script
/// does not change keep their nanoseconds. Of several jobs the first keeps the number unless they say theirs; the
/// others get numbers above the largest. Throws InputError for a script or a job that is wrong, a number that two jobs
/// have, and an error that the script raises.
void run_job_script(const Script& script, const Value& params, const ScriptContext& context, Workload& workload);

/// Returns what the script declares, without calling its function. Throws InputError.
std::vector<ParamSpec> job_script_params(const Script& script, const ScriptContext& context);

}  // namespace coslice

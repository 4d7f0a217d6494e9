// Slowdowns that a Lua script computes (lua/meta/slowdown.lua).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/scripts/loaded_script.h"
#include "jobs/slowdown.h"
#include "jobs/workload.h"

namespace coslice {

/// Returns the model of a script for the jobs of a workload, which outlives it. What concerns one job is asked for all
/// jobs at once; pairs are asked when they are needed, and the last answers kept: the functions must not depend on when
/// they are asked. Throws InputError for a script that is wrong, raises an error or returns what is no slowdown; later,
/// when a pair is asked, SimulationError.
/// `gpu_types` are those of the machine, by their numbers.
std::unique_ptr<SlowdownModel> load_slowdown_script(const Script& script, const Value& params, const Workload& workload,
                                                    const std::vector<std::string>& gpu_types,
                                                    const ScriptContext& context);

}  // namespace coslice

// Slowdowns that a Lua script computes (lua/meta/slowdown.lua).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/params.h"
#include "host/limits.h"
#include "host/script.h"
#include "workload/slowdown.h"
#include "workload/workload.h"

namespace coslice {

struct SlowdownScriptContext {
  Limits limits;
  std::vector<ModuleRoot> roots;  ///< where `require` looks
};

/// The model of a script for the jobs of a workload, which outlives it. What concerns one job is asked for all jobs at
/// once; pairs are asked when they are needed, and the last answers kept: the functions must not depend on when they are
/// asked. Throws InputError for a script that is wrong, raises an error or returns what is no slowdown; later, when a
/// pair is asked, SimulationError.
std::unique_ptr<SlowdownModel> load_slowdown_script(const Script& script, const Value& params, const Workload& workload,
                                                    const SlowdownScriptContext& context);

/// What the script declares, without asking it anything. Throws InputError.
std::vector<ParamSpec> slowdown_script_params(const Script& script, const SlowdownScriptContext& context);

}  // namespace coslice

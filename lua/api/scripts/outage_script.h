// Outages written in Lua: a script that yields them (lua/meta/workload.lua).
#pragma once

#include <vector>

#include "api/scripts/loaded_script.h"
#include "core/time.h"
#include "machine/machine.h"

namespace coslice {

struct OutageScriptContext : ScriptContext {
  MachineSpec machine;
  Time first{}, last{};  ///< when the first and the last job are submitted
};

/// Runs the script to its end and collects what it yields, in order: tables as they are, each with the line that yields
/// it as its place. What has to stand in them is not checked. Throws InputError for a script that is wrong, for an
/// error that it raises, and for what is no table of plain data.
std::vector<Value> run_outage_script(const Script& script, const Value& params, const OutageScriptContext& context);

/// Returns what the script declares, without running it. Throws InputError.
std::vector<ParamSpec> outage_script_params(const Script& script, const ScriptContext& context);

}  // namespace coslice

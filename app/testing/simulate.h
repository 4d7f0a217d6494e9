// The function `simulate` of suites.
#pragma once

#include "testing/context.h"

struct lua_State;

namespace coslice {

/// Runs the Lua function simulate(scenario, overrides?) -> Run: `scenario` is the path of a scenario file, seen from
/// the suite's folder, or a table with the keys of one. Pushes a run for each policy and gives their number. Throws
/// InputError and SimulationError, both with the calling line in their details.
int simulate(lua_State* L, SuiteContext& suite);

}  // namespace coslice

// What the Lua half of the test library (lua/lib/test.lua) asks of the engine.
#pragma once

#include "testing/context.h"

struct lua_State;

namespace coslice {

/// Pushes a table of functions. `suite` outlives the state. May raise a Lua memory error.
void push_natives(lua_State* L, SuiteContext& suite);

}  // namespace coslice

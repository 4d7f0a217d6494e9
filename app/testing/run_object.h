// Runs as Lua objects (lua/meta/test.lua: coslice.Run).
#pragma once

#include "metrics/summary.h"
#include "testing/test_run.h"

struct lua_State;

namespace coslice {

/// Pushes the run. Call it inside a guarded function.
void push_run(lua_State* L, TestRun run);

/// Pushes the comparison as a table; what has nothing to compare with is absent.
void push_comparison(lua_State* L, const Comparison& c);

/// The run at the stack index, or null if the value is something else.
const TestRun* to_run(lua_State* L, int index);

}  // namespace coslice

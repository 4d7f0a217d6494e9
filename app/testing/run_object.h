// Runs as Lua objects (lua/meta/test.lua: coslice.Run).
#pragma once

#include <string>
#include <vector>

#include "core/value.h"
#include "metrics/summary.h"
#include "testing/context.h"
#include "testing/test_run.h"

struct lua_State;

namespace coslice {

/// Hides the metatable on the top of the stack, and its functions, from scripts.
void hide_metatable(lua_State* L);

/// Raises "WHAT has no field 'KEY'" for the key at the stack index, with the name that was meant.
[[noreturn]] void refuse_unknown_field(lua_State* L, const std::string& what, int key,
                                       const std::vector<std::string>& names);

/// Raises the error of an unknown member inside __index(table, key): the known names are those that the table has.
[[noreturn]] void refuse_unknown_member(lua_State* L, const std::string& what);

/// Pushes the run. Call it inside a guarded function.
void push_run(lua_State* L, TestRun run);

/// Pushes the comparison as a table; figures that one of the runs lacks are absent.
void push_comparison(lua_State* L, const Comparison& c);

/// Returns the run at the stack index, or null if the value is something else.
const TestRun* to_run(lua_State* L, int index);

// The figures of a run as suites see them: the tree of summary.json.

/// Pushes the summary as a table in which reading an unknown field is a Lua error. Names of earlier versions still give
/// their figures, each with a warning of the suite. `suite` outlives the state. Call it inside a guarded function.
void push_summary(lua_State* L, const Value& summary, SuiteContext& suite);

/// Pushes a table of the functions that the Lua half of the test library (lua/lib/test.lua) asks of the engine. `suite`
/// outlives the state. May raise a Lua memory error.
void push_natives(lua_State* L, SuiteContext& suite);

}  // namespace coslice

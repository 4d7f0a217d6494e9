// What the Lua half of papers (lua/lib/paper.lua) asks of the engine.
#pragma once

struct lua_State;

namespace coslice {

class Paper;

/// Pushes a table of functions. `paper` outlives the state. May raise a Lua memory error.
void push_paper_functions(lua_State* L, Paper& paper);

}  // namespace coslice

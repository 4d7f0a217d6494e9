// Tables that scripts can read and not change.
#pragma once

struct lua_State;

namespace coslice {

/// Pushes a read-only view of the table at `index`: an empty table whose metatable looks everything up in the original
/// and refuses changes ("attempt to change read-only 'name'"). pairs, ipairs, # and table functions work on it, rawset
/// and setmetatable do not. C++ may go on changing the original.
/// `name` says in errors what it is. May raise a Lua memory error.
void push_readonly(lua_State* L, int index, const char* name);

/// Pushes a read-only view of the table at `index`, and of those inside, to any depth: replaces them in the original by
/// their views. Precondition: a tree of plain data (no cycle).
void push_readonly_deep(lua_State* L, int index, const char* name);

/// Pushes the original of a read-only view at `index` and returns true; pushes nothing if the value is not such a view.
bool push_original(lua_State* L, int index);

}  // namespace coslice

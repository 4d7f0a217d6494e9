// Slots: instants as Lua sees them. A double of seconds cannot hold nanoseconds, so what a reservation is made of never
// makes the round trip through a number.
#pragma once

#include "core/time.h"
#include "host/ref.h"

struct lua_State;

namespace coslice {

class ViewObject;

/// Returns the metatable of slots. `place` holds the object that tells what "now" is, and outlives them.
LuaRef slot_metatable(lua_State* L, ViewObject** place);
void push_slot(lua_State* L, const LuaRef& metatable, Time t);
/// Raises a Lua error if the value at the stack index is not a slot.
Time check_slot(lua_State* L, int index);
/// Returns whether the value at the stack index is a slot.
bool is_slot(lua_State* L, int index);

}  // namespace coslice

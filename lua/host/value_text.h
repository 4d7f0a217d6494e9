// Lua values in words, for error messages.
#pragma once

#include <string>

struct lua_State;

namespace coslice {

/// Returns what the value at `index` is: `nil`, `number 1.5`, `string "x"`, `a table`, `a function`. Never an address;
/// calls no metamethod and allocates nothing in Lua. Long strings are cut.
std::string describe_value(lua_State* L, int index);

}  // namespace coslice

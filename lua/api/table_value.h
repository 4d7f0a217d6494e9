// Lua tables as trees of plain data.
#pragma once

#include <string>

#include "core/value.h"

struct lua_State;

namespace coslice {

/// Marks the table at the stack index as written at that line, so that complaints about what is in it name the line.
void mark_line(lua_State* L, int index, int line);

/// The value at the stack index. Tables with the keys 1..n become lists; empty ones become lists, too, if
/// `empty_is_list`. `path` names the value in complaints: functions, other keys, more than 32 levels.
/// Throws InputError.
Value value_from_lua(lua_State* L, int index, const Place& place, const std::string& path, bool empty_is_list = false);

}  // namespace coslice

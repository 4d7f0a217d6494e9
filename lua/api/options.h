// Options that a policy gives to a method: a table of names and values. For .cpp files; sees Lua's headers.
#pragma once

#include <lua.hpp>

namespace coslice::options {

/// The option on the top of the stack.
inline double number(lua_State* L, const char* name) {
  int is_number = 0;
  const double x = lua_tonumberx(L, -1, &is_number);
  if (is_number == 0 || !(x == x)) luaL_error(L, "option '%s' must be a number", name);
  return x;
}

inline bool flag(lua_State* L, const char* name) {
  if (!lua_isboolean(L, -1)) luaL_error(L, "option '%s' must be true or false", name);
  return lua_toboolean(L, -1) != 0;
}

/// One of the names in a list that ends with a null pointer: its number.
inline int choice(lua_State* L, const char* const names[]) {
  return luaL_checkoption(L, lua_gettop(L), nullptr, names);
}

/// Calls `read` with each option's name, its value on the top of the stack; it returns false for names that it does not
/// know, which are mistakes. No table at that index: no options.
template <class F>
void read(lua_State* L, int table, F&& read) {
  if (lua_isnoneornil(L, table)) return;
  luaL_checktype(L, table, LUA_TTABLE);
  lua_pushnil(L);
  while (lua_next(L, table) != 0) {
    const char* name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
    // Of other keys the type: Lua would write an address.
    if (*name == '\0') luaL_error(L, "an option's name is a text, not a %s", luaL_typename(L, -2));
    if (!read(name)) luaL_error(L, "unknown option '%s'", name);
    lua_pop(L, 1);
  }
}

}  // namespace coslice::options

// Full userdata of a type that is known by the address of a key: the type's metatable has it at [1], where it is found
// in fewer steps than by the type's name in the registry. Scripts can neither read nor make such metatables.
#pragma once

#include "host/bind.h"

namespace coslice::luahost {

/// Makes the metatable on the top of the stack that of the type, which error messages call `name`. `key` outlives the
/// state.
inline void mark_type(lua_State* L, const void* key, const char* name) {
  lua_pushlightuserdata(L, const_cast<void*>(key));
  lua_rawseti(L, -2, 1);
  set_field(L, "__name", name);
  set_field(L, "__metatable", false);
}

/// Returns the userdata at the stack index, or null if it is not of that type.
inline void* test_type(lua_State* L, int index, const void* key) {
  void* const data = lua_touserdata(L, index);
  if (data == nullptr || lua_getmetatable(L, index) == 0) return nullptr;
  const bool same = lua_rawgeti(L, -1, 1) == LUA_TLIGHTUSERDATA && lua_touserdata(L, -1) == key;
  lua_pop(L, 2);
  return same ? data : nullptr;
}

/// Returns the userdata at the stack index; raises an error if it is not of that type.
inline void* check_type(lua_State* L, int index, const void* key, const char* name) {
  void* const data = test_type(L, index, key);
  if (data == nullptr) luaL_typeerror(L, index, name);
  return data;
}

}  // namespace coslice::luahost

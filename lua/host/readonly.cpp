#include "host/readonly.h"

#include "host/bind.h"

namespace coslice {
namespace {

const char kOriginal = 0;  ///< its address is the key in a view's metatable under which the original is

int refuse_change(lua_State* L) {
  const char* name = lua_tostring(L, lua_upvalueindex(1));
  if (lua_type(L, 2) == LUA_TSTRING) {
    return luaL_error(L, "attempt to change field '%s' of read-only '%s'", lua_tostring(L, 2), name);
  }
  return luaL_error(L, "attempt to change read-only '%s'", name);
}

int length(lua_State* L) { return luahost::answer(L, lua_rawlen(L, lua_upvalueindex(1))); }

}  // namespace

void push_readonly(lua_State* L, int index, const char* name) {
  luaL_checkstack(L, 5, "read-only table");
  index = lua_absindex(L, index);
  lua_newtable(L);
  lua_createtable(L, 0, 6);
  lua_pushvalue(L, index);
  lua_setfield(L, -2, "__index");
  lua_pushstring(L, name);
  luahost::set_functions(L, {{"__newindex", refuse_change}}, 1);
  lua_pushvalue(L, index);
  luahost::set_functions(L, {{"__len", length}}, 1);
  luahost::set_field(L, "__metatable", "read-only");
  lua_pushvalue(L, index);
  lua_rawsetp(L, -2, &kOriginal);
  lua_setmetatable(L, -2);
}

void push_readonly_deep(lua_State* L, int index, const char* name) {
  luaL_checkstack(L, 5, "read-only table");
  index = lua_absindex(L, index);
  lua_pushnil(L);
  while (lua_next(L, index)) {
    if (lua_istable(L, -1)) {
      // Assigning to a field that exists is the one change that a traversal allows.
      lua_pushvalue(L, -2);
      push_readonly_deep(L, -2, lua_type(L, -3) == LUA_TSTRING ? lua_tostring(L, -3) : name);
      lua_rawset(L, index);
    }
    lua_pop(L, 1);
  }
  push_readonly(L, index, name);
}

bool push_original(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TTABLE || !lua_getmetatable(L, index)) return false;
  lua_rawgetp(L, -1, &kOriginal);
  lua_remove(L, -2);
  if (!lua_isnil(L, -1)) return true;
  lua_pop(L, 1);
  return false;
}

}  // namespace coslice

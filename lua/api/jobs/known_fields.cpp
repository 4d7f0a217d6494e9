#include "api/jobs/known_fields.h"

#include <cstdlib>
#include <lua.hpp>

#include <fmt/format.h>

#include "core/error.h"
#include "host/guard.h"

namespace coslice {
namespace {

/// Strings of C++ must be gone when the error is raised.
void push_complaint(lua_State* L, const char* what, const char* name, const std::vector<std::string>& known,
                    const char* more) {
  const std::string hint = did_you_mean(name, known);
  luaL_where(L, 1);
  const std::string text = fmt::format("{} no field '{}'{}{}{}", what, name, hint.empty() ? "" : "; ", hint, more);
  lua_pushlstring(L, text.data(), text.size());
  lua_concat(L, 2);
}

/// object.NAME where there is no such field: an error that names the fields there are.
int missing(lua_State* L) {
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  raise_unknown_field(L, lua_tostring(L, lua_upvalueindex(1)), lua_tostring(L, 2), text_keys(L, 1),
                      lua_tostring(L, lua_upvalueindex(2)));
}

}  // namespace

/// They are few: a script declared them, or the engine wrote them.
std::vector<std::string> text_keys(lua_State* L, int table) {
  std::vector<std::string> keys;
  lua_pushnil(L);
  while (lua_next(L, table) != 0) {
    lua_pop(L, 1);
    if (lua_type(L, -1) == LUA_TSTRING) keys.emplace_back(lua_tostring(L, -1));
  }
  return keys;
}

void raise_unknown_field(lua_State* L, const char* what, const char* name, const std::vector<std::string>& known,
                         const char* more) {
  push_complaint(L, what, name, known, more);
  lua_error(L);
  std::abort();
}

void refuse_unknown_fields(lua_State* L, const char* what, const char* more) {
  const char* const key = *more != '\0' ? more : what;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, key) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_createtable(L, 0, 2);
    lua_pushstring(L, what);
    lua_pushstring(L, more);
    lua_pushcclosure(L, luahost::guarded<missing>, 2);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, key);
  }
  lua_setmetatable(L, -2);
}

}  // namespace coslice

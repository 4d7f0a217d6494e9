#include "api/jobs/known_fields.h"

#include "core/error.h"
#include "host/bind.h"

namespace coslice {
namespace {

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
  const std::string hint = did_you_mean(name, known);
  luahost::raise(L, "{} no field '{}'{}{}{}", what, name, hint.empty() ? "" : "; ", hint, more);
}

void refuse_unknown_fields(lua_State* L, const char* what, const char* more) {
  luahost::push_kept(L, *more != '\0' ? more : what, [&] {
    lua_createtable(L, 0, 2);
    luahost::push(L, what);
    luahost::push(L, more);
    luahost::set_functions(L, {{"__index", luahost::guarded<missing>}}, 2);
    luahost::set_field(L, "__metatable", false);
  });
  lua_setmetatable(L, -2);
}

}  // namespace coslice

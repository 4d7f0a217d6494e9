#include "testing/strict_table.h"

#include <algorithm>
#include <lua.hpp>
#include <stdexcept>

#include <fmt/format.h>

#include "core/error.h"
#include "host/value_text.h"

namespace coslice {

void hide_metatable(lua_State* L) {
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
}

void refuse_unknown_field(lua_State* L, const std::string& what, int key, const std::vector<std::string>& names) {
  const std::string typed = lua_type(L, key) == LUA_TSTRING ? lua_tostring(L, key) : describe_value(L, key);
  Diagnostic d;
  d.problem = fmt::format("{} has no field '{}'", what, typed);
  d.suggestion = did_you_mean(typed, names);
  if (d.suggestion.empty()) {
    for (const std::string& n : names) d.expected += (d.expected.empty() ? "one of " : ", ") + n;
  }
  luaL_error(L, "%s", d.message().c_str());
  throw std::logic_error("luaL_error returned");
}

void refuse_unknown_member(lua_State* L, const std::string& what) {
  luaL_checktype(L, 1, LUA_TTABLE);
  std::vector<std::string> names;
  lua_pushnil(L);
  while (lua_next(L, 1) != 0) {
    lua_pop(L, 1);
    if (lua_type(L, -1) == LUA_TSTRING) names.emplace_back(lua_tostring(L, -1));
  }
  std::sort(names.begin(), names.end());
  refuse_unknown_field(L, what, 2, names);
}

}  // namespace coslice

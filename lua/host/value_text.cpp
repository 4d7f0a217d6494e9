#include "host/value_text.h"

#include <cmath>
#include <lua.hpp>

#include <fmt/format.h>

namespace coslice {
namespace {

constexpr std::size_t kShown = 40;  ///< characters of a string that are shown

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text.substr(0, kShown)) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 32) {
      out += fmt::format("\\{}", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  return out + (text.size() > kShown ? "...\"" : "\"");
}

std::string number_text(lua_State* L, int index) {
  if (lua_isinteger(L, index)) return fmt::format("{}", lua_tointeger(L, index));
  const double x = lua_tonumber(L, index);
  return std::isnan(x) ? "NaN" : fmt::format("{:.14g}", x);  // its sign depends on the machine
}

}  // namespace

std::string describe_value(lua_State* L, int index) {
  switch (lua_type(L, index)) {
    case LUA_TNONE:
    case LUA_TNIL: return "nil";
    case LUA_TBOOLEAN: return lua_toboolean(L, index) ? "true" : "false";
    case LUA_TNUMBER: return "number " + number_text(L, index);
    case LUA_TSTRING: {
      std::size_t size = 0;
      const char* text = lua_tolstring(L, index, &size);
      return "string " + quoted({text, size});
    }
    default: return std::string("a ") + luaL_typename(L, index);
  }
}

}  // namespace coslice

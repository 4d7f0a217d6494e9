#include "api/scripts/options.h"

#include <cstring>

#include <fmt/ranges.h>

#include "core/error.h"
#include "host/bind.h"
#include "host/value_text.h"

namespace coslice::options {

bool Option::is(const char* name) const { return std::strcmp(name_, name) == 0; }

double Option::number() const {
  const double x = lua_tonumber(L_, -1);
  if (lua_type(L_, -1) != LUA_TNUMBER || !(x == x)) fail("a number");
  return x;
}

Duration Option::span() const {
  const double s = number();
  if (!(s >= 0 && s <= kMaxSeconds)) fail("a span of time in seconds, of at least 0,");
  return from_seconds(s);
}

bool Option::flag() const {
  if (!lua_isboolean(L_, -1)) fail("true or false");
  return lua_toboolean(L_, -1) != 0;
}

std::size_t Option::count() const {
  int whole = 0;
  const lua_Integer n = lua_type(L_, -1) == LUA_TNUMBER ? lua_tointegerx(L_, -1, &whole) : 0;
  if (whole == 0 || n < 0) fail("a whole number of at least 0");
  return static_cast<std::size_t>(n);
}

int Option::choice(std::initializer_list<const char*> names) const {
  const char* value = lua_type(L_, -1) == LUA_TSTRING ? lua_tostring(L_, -1) : "";
  int i = 0;
  for (const char* n : names) {
    if (std::strcmp(value, n) == 0) return i;
    ++i;
  }
  fail(fmt::format("one of \"{}\"", fmt::join(names, "\", \"")));
}

void Option::fail(const std::string& expected) const {
  luahost::raise(L_, "option '{}' of {}: {} was expected, got {}", name_, of_, expected, describe_value(L_, -1));
}

void refuse(lua_State* L, const char* of, std::initializer_list<const char*> names) {
  const bool text = lua_type(L, -1) == LUA_TSTRING;
  const std::string key = text ? fmt::format("'{}'", lua_tostring(L, -1)) : describe_value(L, -1);
  std::string hint = text ? did_you_mean(lua_tostring(L, -1), {names.begin(), names.end()}) : "";
  if (hint.empty()) hint = fmt::format("it has '{}'", fmt::join(names, "', '"));
  luahost::raise(L, "unknown option {} of {}; {}", key, of, hint);
}

bool given(lua_State* L, int table, const char* of) {
  if (lua_isnoneornil(L, table)) return false;
  if (lua_istable(L, table)) return true;
  luahost::raise(L, "the options of {} are a table, got {}", of, describe_value(L, table));
}

const char* known(lua_State* L, int index, std::initializer_list<const char*> names) {
  const char* name = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : "";
  for (const char* n : names)
    if (std::strcmp(name, n) == 0) return n;
  return nullptr;
}

}  // namespace coslice::options

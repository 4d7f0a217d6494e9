#include "api/scripts/options.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"
#include "host/value_text.h"

namespace coslice::options {

namespace {

/// Strings of C++ must be gone when the error is raised.
void push_complaint(lua_State* L, const std::string& text) {
  luaL_where(L, 1);
  lua_pushlstring(L, text.data(), text.size());
  lua_concat(L, 2);
}

void push_wrong_value(lua_State* L, const char* of, const char* name, const char* expected) {
  push_complaint(L,
                 fmt::format("option '{}' of {}: {} was expected, got {}", name, of, expected, describe_value(L, -1)));
}

void push_unknown(lua_State* L, const char* of, std::initializer_list<const char*> names) {
  const std::vector<std::string> known(names.begin(), names.end());
  const bool text = lua_type(L, -1) == LUA_TSTRING;
  const std::string key = text ? fmt::format("'{}'", lua_tostring(L, -1)) : describe_value(L, -1);
  std::string hint = text ? did_you_mean(lua_tostring(L, -1), known) : "";
  if (hint.empty()) {
    for (const std::string& n : known) hint += (hint.empty() ? "it has '" : "', '") + n;
    hint += "'";
  }
  push_complaint(L, fmt::format("unknown option {} of {}; {}", key, of, hint));
}

void push_names(lua_State* L, std::initializer_list<const char*> names) {
  std::string text;
  for (const char* n : names) text += fmt::format("{}\"{}\"", text.empty() ? "one of " : ", ", n);
  lua_pushlstring(L, text.data(), text.size());
}

}  // namespace

bool Option::is(const char* name) const { return std::strcmp(name_, name) == 0; }

double Option::number() const {
  const double x = lua_tonumber(L_, -1);
  if (lua_type(L_, -1) != LUA_TNUMBER || !(x == x)) fail("a number");
  return x;
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
  push_names(L_, names);
  lua_insert(L_, -2);
  fail(lua_tostring(L_, -2));
}

void Option::fail(const char* expected) const {
  push_wrong_value(L_, of_, name_, expected);
  lua_error(L_);
  std::abort();
}

void refuse(lua_State* L, const char* of, std::initializer_list<const char*> names) {
  push_unknown(L, of, names);
  lua_error(L);
  std::abort();
}

bool given(lua_State* L, int table, const char* of) {
  if (lua_isnoneornil(L, table)) return false;
  if (lua_istable(L, table)) return true;
  lua_pushvalue(L, table);
  push_complaint(L, fmt::format("the options of {} are a table, got {}", of, describe_value(L, -1)));
  return lua_error(L) != 0;
}

const char* known(lua_State* L, int index, std::initializer_list<const char*> names) {
  const char* name = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : "";
  for (const char* n : names)
    if (std::strcmp(name, n) == 0) return n;
  return nullptr;
}

}  // namespace coslice::options

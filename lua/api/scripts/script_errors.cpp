#include "api/scripts/script_errors.h"

#include <algorithm>
#include <cctype>
#include <lua.hpp>

#include <fmt/format.h>

#include "core/error.h"
#include "host/guard.h"
#include "host/value_text.h"

namespace coslice {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Whether an assignment to the field begins at `at`: the name, then `=` (after `"]` if it is quoted).
bool assigned_at(std::string_view text, std::size_t at, std::size_t length) {
  if (at > 0 && (is_word(text[at - 1]) || text[at - 1] == '.')) return false;
  std::size_t p = at + length;
  while (p < text.size() && (text[p] == ' ' || text[p] == '\t' || text[p] == '"' || text[p] == '\'' || text[p] == ']'))
    ++p;
  return p < text.size() && text[p] == '=' && (p + 1 == text.size() || text[p + 1] != '=');
}

}  // namespace

int line_of_field(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    if (!assigned_at(text, at, name.size())) continue;
    return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }
  return 0;
}

FieldReader::FieldReader(lua_State* L, int index, std::string file, std::string_view text, std::string what)
    : L_(L), index_(lua_absindex(L, index)), file_(std::move(file)), text_(text), what_(std::move(what)) {}

void FieldReader::fail(std::string_view field, std::string problem, std::string expected,
                       std::string suggestion) const {
  Diagnostic d;
  d.file = file_;
  d.line = line_of_field(text_, field);
  d.problem = std::move(problem);
  d.expected = std::move(expected);
  d.suggestion = std::move(suggestion);
  throw InputError(d);
}

void FieldReader::fail_type(const char* name, int index, const char* expected) const {
  fail(name, fmt::format("{}: field '{}' is {}", what_, name, describe_value(L_, index)), expected);
}

void FieldReader::only(const std::vector<std::string>& known) const {
  const luahost::StackGuard guard(L_);
  std::vector<std::string> unknown;
  lua_pushnil(L_);
  while (lua_next(L_, index_) != 0) {
    lua_pop(L_, 1);
    if (lua_type(L_, -1) != LUA_TSTRING) {
      fail("", fmt::format("{} has an entry without a name: key {}", what_, describe_value(L_, -1)), "named fields");
    }
    const std::string name = lua_tostring(L_, -1);
    if (std::ranges::find(known, name) == known.end()) unknown.push_back(name);
  }
  if (unknown.empty()) return;
  const std::string first = *std::ranges::min_element(unknown);
  fail(first, fmt::format("{} has an unknown field '{}'", what_, first),
       fmt::format("one of {}", fmt::join(known, ", ")), did_you_mean(first, known));
}

void FieldReader::push(const char* name) const {
  lua_pushstring(L_, name);
  lua_rawget(L_, index_);
}

bool FieldReader::has(const char* name) const {
  push(name);
  const bool there = !lua_isnil(L_, -1);
  lua_pop(L_, 1);
  return there;
}

std::string FieldReader::text(const char* name, const char* fallback) const {
  const luahost::StackGuard guard(L_);
  push(name);
  if (lua_isnil(L_, -1) && fallback != nullptr) return fallback;
  if (lua_isnil(L_, -1)) fail("", fmt::format("{} has no field '{}'", what_, name), "a text");
  if (lua_type(L_, -1) != LUA_TSTRING) fail_type(name, -1, "a text");
  return lua_tostring(L_, -1);
}

std::string FieldReader::choice(const char* name, const std::vector<std::string>& choices) const {
  const std::string value = text(name);
  if (std::ranges::find(choices, value) != choices.end()) return value;
  fail(name, fmt::format("{}: field '{}' is \"{}\"", what_, name, value),
       fmt::format("one of \"{}\"", fmt::join(choices, "\", \"")), did_you_mean(value, choices));
}

long long FieldReader::integer(const char* name, long long least) const {
  const luahost::StackGuard guard(L_);
  push(name);
  int whole = 0;
  const lua_Integer value = lua_type(L_, -1) == LUA_TNUMBER ? lua_tointegerx(L_, -1, &whole) : 0;
  const std::string expected = fmt::format("a whole number of at least {}", least);
  if (whole == 0 || value < least) fail_type(name, -1, expected.c_str());
  return value;
}

double FieldReader::number(const char* name) const {
  const luahost::StackGuard guard(L_);
  push(name);
  if (lua_type(L_, -1) != LUA_TNUMBER) fail_type(name, -1, "a number");
  return lua_tonumber(L_, -1);
}

bool FieldReader::flag(const char* name) const {
  const luahost::StackGuard guard(L_);
  push(name);
  if (!lua_isboolean(L_, -1)) fail_type(name, -1, "true or false");
  return lua_toboolean(L_, -1) != 0;
}

void FieldReader::require_function(const char* name) const {
  const luahost::StackGuard guard(L_);
  push(name);
  if (!lua_isfunction(L_, -1)) fail_type(name, -1, "a function");
}

}  // namespace coslice

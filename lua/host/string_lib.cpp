// The string library without pattern matching (pattern_lib.cpp), and utf8. Long results count their length through the
// allocator; here is charged what loops without making a string.
#include <cstring>
#include <string>

#include "host/bind.h"
#include "host/core.h"
#include "host/sandbox.h"

namespace coslice::luahost {
namespace {

/// Lua's own rep copies nothing n times for an empty text, which for a large n is an endless loop.
int rep(lua_State* L) {
  std::size_t size = 0, separator_size = 0;
  const char* text = luaL_checklstring(L, 1, &size);
  const lua_Integer n = luaL_checkinteger(L, 2);
  const char* separator = luaL_optlstring(L, 3, "", &separator_size);
  if (n <= 0 || size + separator_size == 0) return answer(L, "");
  const std::size_t most = core_of(L).limits.string;
  if (size + separator_size > most / static_cast<std::size_t>(n)) {
    return luaL_error(L, "resulting string too large; expected at most %I bytes", static_cast<LUAI_UACINT>(most));
  }
  charge(L, n);
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  for (lua_Integer i = 1; i <= n; ++i) {
    luaL_addlstring(&out, text, size);
    if (i < n) luaL_addlstring(&out, separator, separator_size);
  }
  luaL_pushresult(&out);
  return 1;
}

// ---- format: every conversion goes to Lua's own, one at a time, so that no table's address gets out ----

/// The end of the conversion that begins at `at` (just behind its '%').
std::size_t conversion_end(const char* format, std::size_t at, std::size_t size) {
  while (at < size && std::strchr("-+ #0123456789.", format[at]) != nullptr) ++at;
  return at < size ? at + 1 : size;
}

/// Adds one formatted value, and charges for what it looks through and makes: `%.3s` of a long text looks at all of it,
/// a number of hundreds of digits takes microseconds. Stack: upvalue 1 is Lua's own format; the buffer is a C++ string.
void add_conversion(lua_State* L, std::string& out, const std::string& conversion, int argument) {
  const char kind = conversion.back();
  if (kind == 'p') luaL_error(L, "string.format: '%%p' is not available: addresses differ from run to run");
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushlstring(L, conversion.data(), conversion.size());
  if (kind == 's') {
    push_text(L, argument);
    charge(L, static_cast<std::int64_t>(lua_rawlen(L, -1) / 16));
  } else {
    lua_pushvalue(L, argument);
  }
  lua_call(L, 2, 1);
  std::size_t size = 0;
  const char* text = lua_tolstring(L, -1, &size);
  charge(L, static_cast<std::int64_t>(kind == 's' ? size / 16 : size));
  out.append(text, size);
  lua_pop(L, 1);
}

int format(lua_State* L) {
  std::size_t size = 0;
  const char* text = luaL_checklstring(L, 1, &size);
  const int arguments = lua_gettop(L);
  std::string out;
  int argument = 1;
  for (std::size_t at = 0; at < size;) {
    if (text[at] != '%') {
      out += text[at++];
    } else if (at + 1 < size && text[at + 1] == '%') {
      out += '%';
      at += 2;
    } else {
      const std::size_t end = conversion_end(text, at + 1, size);
      if (end == at + 1) luaL_error(L, "invalid conversion '%%' to 'format'");
      if (++argument > arguments) luaL_argerror(L, argument, "no value");
      add_conversion(L, out, std::string(text + at, end - at), argument);
      at = end;
    }
    if (out.size() > core_of(L).limits.string) luaL_error(L, "resulting string too large");
  }
  charge(L, static_cast<std::int64_t>(size));
  return answer(L, out);
}

/// Lua's own function (upvalue 1), after charging for the length of its text.
int charged_by_length(lua_State* L) {
  std::size_t size = 0;
  if (lua_type(L, 1) == LUA_TSTRING) lua_tolstring(L, 1, &size);
  charge(L, static_cast<std::int64_t>(size / 16));
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

void charge_length(lua_State* L, const char* name) {
  lua_getfield(L, -1, name);
  set_functions(L, {{name, charged_by_length}}, 1);
}

void drop(lua_State* L, const char* name) {
  lua_pushnil(L);
  lua_setfield(L, -2, name);
}

/// Strings share one metatable: what a script put into it would be seen by every other.
void lock_metatable(lua_State* L) {
  lua_pushliteral(L, "");
  lua_getmetatable(L, -1);
  set_field(L, "__metatable", "string");
  lua_pop(L, 2);
}

}  // namespace

void install_strings(lua_State* L) {
  // dump makes bytecode; pack and its kin lay out memory as the machine does.
  for (const char* name : {"dump", "pack", "packsize", "unpack"}) drop(L, name);
  charge_length(L, "byte");
  set_functions(L, {{"rep", rep}});
  lua_getfield(L, -1, "format");
  set_functions(L, {{"format", guarded<format>}}, 1);
  install_patterns(L);
  lock_metatable(L);
}

void install_utf8(lua_State* L) {
  for (const char* name : {"codepoint", "len", "offset"}) charge_length(L, name);
}

}  // namespace coslice::luahost

// string.find, match, gmatch and gsub over PatternMatcher.
#include <cstring>

#include "host/core.h"
#include "host/pattern.h"
#include "host/sandbox.h"

namespace coslice::luahost {
namespace {

struct Text {
  const char* data;
  std::size_t size;
};

Text text_argument(lua_State* L, int index) {
  Text text{};
  text.data = luaL_checklstring(L, index, &text.size);
  return text;
}

/// The offset that a start position in Lua's counting means: 1 is the first, -1 the last byte.
std::size_t start_offset(lua_Integer position, std::size_t size) {
  if (position > 0) return static_cast<std::size_t>(position) - 1;
  if (position == 0 || position < -static_cast<lua_Integer>(size)) return 0;
  return size - static_cast<std::size_t>(-position);
}

bool has_specials(Text pattern) {
  for (std::size_t i = 0; i < pattern.size; ++i) {
    if (pattern.data[i] != '\0' && std::strchr("^$*+?.([%-", pattern.data[i]) != nullptr) return true;
  }
  return false;
}

int find_plain(lua_State* L, Text subject, Text pattern, std::size_t start) {
  charge(L, static_cast<std::int64_t>((subject.size - start) / 16));
  const void* found = memmem(subject.data + start, subject.size - start, pattern.data, pattern.size);
  if (found == nullptr) {
    lua_pushnil(L);
    return 1;
  }
  const lua_Integer at = static_cast<const char*>(found) - subject.data;
  lua_pushinteger(L, at + 1);
  lua_pushinteger(L, at + static_cast<lua_Integer>(pattern.size));
  return 2;
}

int search(lua_State* L, bool find) {
  const Text subject = text_argument(L, 1);
  Text pattern = text_argument(L, 2);
  const std::size_t start = start_offset(luaL_optinteger(L, 3, 1), subject.size);
  charge(L, 8);
  if (start > subject.size) {
    lua_pushnil(L);
    return 1;
  }
  if (find && (lua_toboolean(L, 4) || !has_specials(pattern))) return find_plain(L, subject, pattern, start);
  const bool anchored = pattern.size > 0 && *pattern.data == '^';
  if (anchored) pattern = {pattern.data + 1, pattern.size - 1};
  PatternMatcher matcher(L, subject.data, subject.size, pattern.data, pattern.size);
  const char* s = subject.data + start;
  do {
    const char* end = matcher.match_at(s);
    if (end == nullptr) continue;
    if (!find) return matcher.push_captures(s, end);
    lua_pushinteger(L, s - subject.data + 1);
    lua_pushinteger(L, end - subject.data);
    return matcher.push_captures(nullptr, nullptr) + 2;
  } while (s++ < matcher.subject_end() && !anchored);
  lua_pushnil(L);
  return 1;
}

int find(lua_State* L) { return search(L, true); }
int match(lua_State* L) { return search(L, false); }

/// Upvalues: subject, pattern, offset of the next attempt, offset of the end of the last match (-1: none).
int gmatch_step(lua_State* L) {
  const Text subject = text_argument(L, lua_upvalueindex(1)), pattern = text_argument(L, lua_upvalueindex(2));
  const lua_Integer last = lua_tointeger(L, lua_upvalueindex(4));
  charge(L, 8);
  PatternMatcher matcher(L, subject.data, subject.size, pattern.data, pattern.size);
  for (auto at = static_cast<std::size_t>(lua_tointeger(L, lua_upvalueindex(3))); at <= subject.size; ++at) {
    const char* end = matcher.match_at(subject.data + at);
    if (end == nullptr || end - subject.data == last) continue;
    lua_pushinteger(L, end - subject.data);
    lua_copy(L, -1, lua_upvalueindex(3));
    lua_replace(L, lua_upvalueindex(4));
    return matcher.push_captures(subject.data + at, end);
  }
  lua_pushinteger(L, static_cast<lua_Integer>(subject.size) + 1);
  lua_replace(L, lua_upvalueindex(3));
  return 0;
}

int gmatch(lua_State* L) {
  const Text subject = text_argument(L, 1);
  text_argument(L, 2);
  std::size_t start = start_offset(luaL_optinteger(L, 3, 1), subject.size);
  if (start > subject.size) start = subject.size + 1;
  lua_settop(L, 2);
  lua_pushinteger(L, static_cast<lua_Integer>(start));
  lua_pushinteger(L, -1);
  lua_pushcclosure(L, gmatch_step, 4);
  return 1;
}

// ---- gsub ----

/// Adds the replacement text with its %0..%9 filled in.
void add_template(lua_State* L, luaL_Buffer* out, const PatternMatcher& matcher, const char* from, const char* to) {
  const Text text = text_argument(L, 3);
  for (std::size_t i = 0; i < text.size; ++i) {
    if (text.data[i] != '%') {
      luaL_addchar(out, text.data[i]);
      continue;
    }
    const char next = text.data[++i];
    if (next == '%') {
      luaL_addchar(out, '%');
    } else if (next == '0') {
      luaL_addlstring(out, from, static_cast<std::size_t>(to - from));
    } else if (next >= '1' && next <= '9') {
      matcher.push_capture(next - '1', from, to);
      luaL_tolstring(L, -1, nullptr);  // a position becomes text
      lua_remove(L, -2);
      luaL_addvalue(out);
    } else {
      luaL_error(L, "invalid use of '%%' in replacement string");
    }
  }
}

/// Adds what the table or function at 3 gives for the match; false and nil keep it.
void add_lookup(lua_State* L, luaL_Buffer* out, const PatternMatcher& matcher, const char* from, const char* to) {
  if (lua_type(L, 3) == LUA_TFUNCTION) {
    lua_pushvalue(L, 3);
    lua_call(L, matcher.push_captures(from, to), 1);
  } else {
    matcher.push_capture(0, from, to);
    lua_gettable(L, 3);
  }
  if (!lua_toboolean(L, -1)) {
    lua_pop(L, 1);
    luaL_addlstring(out, from, static_cast<std::size_t>(to - from));
  } else if (!lua_isstring(L, -1)) {
    luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
  } else {
    luaL_addvalue(out);
  }
}

int gsub(lua_State* L) {
  const Text subject = text_argument(L, 1);
  Text pattern = text_argument(L, 2);
  const int kind = lua_type(L, 3);
  luaL_argexpected(L, kind == LUA_TNUMBER || kind == LUA_TSTRING || kind == LUA_TFUNCTION || kind == LUA_TTABLE, 3,
                   "string/function/table");
  const lua_Integer most = luaL_optinteger(L, 4, static_cast<lua_Integer>(subject.size) + 1);
  const bool anchored = pattern.size > 0 && *pattern.data == '^';
  if (anchored) pattern = {pattern.data + 1, pattern.size - 1};
  charge(L, 8);
  PatternMatcher matcher(L, subject.data, subject.size, pattern.data, pattern.size);
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  const char* s = subject.data;
  const char* last = nullptr;
  lua_Integer n = 0;
  while (n < most) {
    const char* end = matcher.match_at(s);
    if (end != nullptr && end != last) {
      ++n;
      const bool lookup = kind == LUA_TFUNCTION || kind == LUA_TTABLE;
      (lookup ? add_lookup : add_template)(L, &out, matcher, s, end);
      s = last = end;
    } else if (s < matcher.subject_end()) {
      luaL_addchar(&out, *s++);
    } else {
      break;
    }
    if (anchored) break;
  }
  luaL_addlstring(&out, s, static_cast<std::size_t>(matcher.subject_end() - s));
  luaL_pushresult(&out);
  lua_pushinteger(L, n);
  return 2;
}

}  // namespace

void install_patterns(lua_State* L) {
  const luaL_Reg functions[] = {
      {"find", find}, {"match", match}, {"gmatch", gmatch}, {"gsub", gsub}, {nullptr, nullptr}};
  luaL_setfuncs(L, functions, 0);
}

}  // namespace coslice::luahost

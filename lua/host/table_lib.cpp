// The table library. Lua's own loops in C over lengths that a metamethod may invent, and its sort starts from a random
// pivot when a list is large: here each loop is counted, and sort is stable.
#include <algorithm>
#include <climits>
#include <utility>

#include "host/core.h"
#include "host/ordered.h"
#include "host/readonly.h"
#include "host/sandbox.h"

namespace coslice::luahost {
namespace {

/// Elements in first..last, 0 if none; raises if they cannot be counted.
lua_Integer span(lua_State* L, lua_Integer first, lua_Integer last) {
  if (first > last) return 0;
  const auto n = static_cast<lua_Unsigned>(last) - static_cast<lua_Unsigned>(first);
  if (n >= static_cast<lua_Unsigned>(LLONG_MAX)) luaL_error(L, "too many elements");
  return static_cast<lua_Integer>(n) + 1;
}

lua_Integer list_length(lua_State* L, int index) {
  luaL_checktype(L, index, LUA_TTABLE);
  return luaL_len(L, index);
}

int insert(lua_State* L) {
  const lua_Integer end = static_cast<lua_Integer>(static_cast<lua_Unsigned>(list_length(L, 1)) + 1);
  lua_Integer at = end;
  if (lua_gettop(L) == 3) {
    at = luaL_checkinteger(L, 2);
    luaL_argcheck(L, at >= 1 && at <= end, 2, "position out of bounds");
    charge(L, end - at);
    for (lua_Integer i = end; i > at; --i) {
      lua_geti(L, 1, i - 1);
      lua_seti(L, 1, i);
    }
  } else if (lua_gettop(L) != 2) {
    return luaL_error(L, "wrong number of arguments to 'insert'");
  }
  lua_seti(L, 1, at);
  return 0;
}

int remove(lua_State* L) {
  const lua_Integer size = list_length(L, 1);
  lua_Integer at = luaL_optinteger(L, 2, size);
  if (!lua_isnone(L, 2)) {
    luaL_argcheck(L, static_cast<lua_Unsigned>(at) - 1u <= static_cast<lua_Unsigned>(size), 2,
                  "position out of bounds");
  }
  charge(L, at < size ? span(L, at, size) : 0);
  lua_geti(L, 1, at);
  for (; at < size; ++at) {
    lua_geti(L, 1, at + 1);
    lua_seti(L, 1, at);
  }
  lua_pushnil(L);
  lua_seti(L, 1, at);
  return 1;
}

int concat(lua_State* L) {
  const lua_Integer length = list_length(L, 1);
  std::size_t separator_size = 0;
  const char* separator = luaL_optlstring(L, 2, "", &separator_size);
  const lua_Integer first = luaL_optinteger(L, 3, 1), last = luaL_optinteger(L, 4, length);
  const lua_Integer n = span(L, first, last);
  charge(L, n);
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  for (lua_Integer k = 0; k < n; ++k) {
    lua_geti(L, 1, first + k);
    if (!lua_isstring(L, -1)) {
      return luaL_error(L, "invalid value (at index %I) in table for 'concat'", static_cast<LUAI_UACINT>(first + k));
    }
    luaL_addvalue(&out);
    if (k + 1 < n) luaL_addlstring(&out, separator, separator_size);
  }
  luaL_pushresult(&out);
  return 1;
}

int unpack(lua_State* L) {
  const lua_Integer first = luaL_optinteger(L, 2, 1);
  const lua_Integer last = luaL_opt(L, luaL_checkinteger, 3, luaL_len(L, 1));
  const lua_Integer n = span(L, first, last);
  if (n >= INT_MAX || !lua_checkstack(L, static_cast<int>(n))) return luaL_error(L, "too many results to unpack");
  charge(L, n);
  for (lua_Integer k = 0; k < n; ++k) lua_geti(L, 1, first + k);
  return static_cast<int>(n);
}

/// move(from, first, last, at [, to])
int move(lua_State* L) {
  const lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3), at = luaL_checkinteger(L, 4);
  const int to = lua_isnoneornil(L, 5) ? 1 : 5;
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, to, LUA_TTABLE);
  const lua_Integer n = span(L, first, last);
  luaL_argcheck(L, n == 0 || at <= LLONG_MAX - n + 1, 4, "destination wrap around");
  charge(L, n);
  const bool upwards = at > last || at <= first || (to != 1 && !lua_compare(L, 1, to, LUA_OPEQ));
  for (lua_Integer k = 0; k < n; ++k) {
    const lua_Integer i = upwards ? k : n - 1 - k;
    lua_geti(L, 1, first + i);
    lua_seti(L, to, at + i);
  }
  lua_pushvalue(L, to);
  return 1;
}

// ---- sort: a bottom-up merge sort, stable, that no comparison can lead astray ----

/// Stack: 1 list, 2 the comparison or nil, 3 the elements.
bool comes_before(lua_State* L, int a, int b) {
  if (lua_isnil(L, 2)) {
    lua_rawgeti(L, 3, a + 1);
    lua_rawgeti(L, 3, b + 1);
    const bool before = lua_compare(L, -2, -1, LUA_OPLT) != 0;
    lua_pop(L, 2);
    return before;
  }
  lua_pushvalue(L, 2);
  lua_rawgeti(L, 3, a + 1);
  lua_rawgeti(L, 3, b + 1);
  lua_call(L, 2, 1);
  const bool before = lua_toboolean(L, -1) != 0;
  lua_pop(L, 1);
  return before;
}

template <class Before>
void merge(const int* from, int* to, int begin, int middle, int end, Before before) {
  int left = begin, right = middle;
  for (int out = begin; out < end; ++out) {
    const bool take_right = left == middle || (right < end && before(from[right], from[left]));
    to[out] = take_right ? from[right++] : from[left++];
  }
}

/// Sorts the numbers 0..n-1 in `order`, with as much room again behind it; gives where the result lies.
template <class Before>
int* merge_sort(lua_State* L, int* order, int n, Before before) {
  int* from = order;
  int* to = order + n;
  for (std::int64_t width = 1; width < n; width *= 2) {
    charge(L, n);
    for (std::int64_t begin = 0; begin < n; begin += 2 * width) {
      const int middle = static_cast<int>(std::min<std::int64_t>(begin + width, n));
      const int end = static_cast<int>(std::min<std::int64_t>(begin + 2 * width, n));
      merge(from, to, static_cast<int>(begin), middle, end, before);
    }
    std::swap(from, to);
  }
  return from;
}

/// The elements as plain values if Lua's `<` needs no metamethod for them (all numbers or all strings), else null.
PlainValue* plain_elements(lua_State* L, int n) {
  auto* values = static_cast<PlainValue*>(lua_newuserdatauv(L, sizeof(PlainValue) * static_cast<std::size_t>(n), 0));
  std::int64_t work = 0;
  for (int i = 0; i < n; ++i) {
    lua_rawgeti(L, 3, i + 1);
    values[i] = plain_value(L, -1);
    lua_pop(L, 1);
    work += text_work(values[i], n);
    const int type = values[i].type;
    if (type != values[0].type || (type != LUA_TNUMBER && type != LUA_TSTRING)) return nullptr;
  }
  charge(L, work);
  return values;
}

int sort(lua_State* L) {
  const lua_Integer length = list_length(L, 1);
  luaL_argcheck(L, length < INT_MAX / 2, 1, "array too big");
  if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  if (length < 2) return 0;
  charge(L, length);
  const int n = static_cast<int>(length);
  lua_createtable(L, n, 0);
  for (int i = 1; i <= n; ++i) {
    lua_geti(L, 1, i);
    lua_rawseti(L, 3, i);
  }
  auto* order = static_cast<int*>(lua_newuserdatauv(L, 2 * sizeof(int) * static_cast<std::size_t>(n), 0));
  for (int i = 0; i < n; ++i) order[i] = i;
  const PlainValue* values = lua_isnil(L, 2) ? plain_elements(L, n) : nullptr;
  const int* sorted = values != nullptr ? merge_sort(L, order, n, [&](int a, int b) { return values[a] < values[b]; })
                                        : merge_sort(L, order, n, [L](int a, int b) { return comes_before(L, a, b); });
  for (int i = 0; i < n; ++i) {
    lua_rawgeti(L, 3, sorted[i] + 1);
    lua_seti(L, 1, i + 1);
  }
  return 0;
}

/// table.is_empty(t): what `next(t) == nil` is in standard Lua.
int is_empty(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  if (push_original(L, 1)) lua_replace(L, 1);
  int hidden = 0;  // fields of the engine
  lua_pushnil(L);
  while (lua_next(L, 1) != 0) {
    lua_pop(L, 1);
    if (!lua_islightuserdata(L, -1)) {
      lua_pushboolean(L, 0);
      return 1;
    }
    ++hidden;
  }
  drop_empty_slots(L, 1, hidden);
  lua_pushboolean(L, 1);
  return 1;
}

}  // namespace

void install_tables(lua_State* L) {
  const luaL_Reg functions[] = {{"insert", insert}, {"remove", remove}, {"concat", concat},     {"unpack", unpack},
                                {"move", move},     {"sort", sort},     {"is_empty", is_empty}, {nullptr, nullptr}};
  luaL_setfuncs(L, functions, 0);
}

}  // namespace coslice::luahost

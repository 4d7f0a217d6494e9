// The globals that differ from standard Lua: print, tostring, pairs, metatables, raw access, load.
#include <algorithm>
#include <bit>
#include <string>

#include "host/bind.h"
#include "host/core.h"
#include "host/ordered.h"
#include "host/readonly.h"
#include "host/sandbox.h"

namespace coslice::luahost {

void push_text(lua_State* L, int index) {
  index = lua_absindex(L, index);
  if (luaL_callmeta(L, index, "__tostring")) {
    if (!lua_isstring(L, -1)) luaL_error(L, "'__tostring' must return a string");
    return;
  }
  switch (lua_type(L, index)) {
    case LUA_TNUMBER:
      if (lua_tonumber(L, index) != lua_tonumber(L, index)) {  // processors differ in the sign that printf would show
        lua_pushliteral(L, "nan");
        return;
      }
      [[fallthrough]];
    case LUA_TSTRING:
      lua_pushvalue(L, index);
      lua_tolstring(L, -1, nullptr);
      break;
    case LUA_TBOOLEAN: lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false"); break;
    default:
      // Standard Lua appends an address here, which is different in each process.
      if (luaL_getmetafield(L, index, "__name") == LUA_TSTRING) break;
      lua_pushstring(L, luaL_typename(L, index));
  }
}

namespace {

int print(lua_State* L) {
  const int n = lua_gettop(L);
  std::string line;
  for (int i = 1; i <= n; ++i) {
    push_text(L, i);
    std::size_t size = 0;
    const char* text = lua_tolstring(L, -1, &size);
    if (i > 1) line += '\t';
    line.append(text, size);
    lua_pop(L, 1);
  }
  charge(L, 100 + std::ssize(line));  // output is expensive
  core_of(L).print(line);
  return 0;
}

int tostring(lua_State* L) {
  luaL_checkany(L, 1);
  push_text(L, 1);
  return 1;
}

/// Upvalue: Lua's own, which counts nothing where it reads digits of another base.
int tonumber(lua_State* L) {
  if (!lua_isnoneornil(L, 2) && lua_type(L, 1) == LUA_TSTRING) charge(L, static_cast<std::int64_t>(lua_rawlen(L, 1)));
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/// Upvalues: the table, its keys in order (nil: they are 1..n), the last position, n. Keys that have gone are skipped.
int pairs_step(lua_State* L) {
  const lua_Integer n = lua_tointeger(L, lua_upvalueindex(4));
  const bool sequence = lua_isnil(L, lua_upvalueindex(2));
  for (lua_Integer i = lua_tointeger(L, lua_upvalueindex(3)) + 1; i <= n; ++i) {
    lua_settop(L, 0);
    if (sequence) {
      lua_pushinteger(L, i);
    } else {
      lua_rawgeti(L, lua_upvalueindex(2), i);
    }
    lua_pushvalue(L, 1);
    if (lua_rawget(L, lua_upvalueindex(1)) == LUA_TNIL) continue;
    lua_pushinteger(L, i);
    lua_replace(L, lua_upvalueindex(3));
    return 2;
  }
  lua_pushinteger(L, n);
  lua_replace(L, lua_upvalueindex(3));
  return 0;
}

/// Steps to the next key of the table at 1 (the last one on the top). Light userdata are the engine's own hidden
/// fields.
bool next_key(lua_State* L) {
  while (lua_next(L, 1) != 0) {
    lua_pop(L, 1);
    if (!lua_islightuserdata(L, -1)) return true;
  }
  return false;
}

/// Counts the keys of the table at 1; says whether they are 1..n and came in this order.
lua_Integer count_keys(lua_State* L, bool& sequence) {
  lua_Integer n = 0;
  sequence = true;
  lua_pushnil(L);
  while (next_key(L)) {
    ++n;
    sequence = sequence && lua_isinteger(L, -1) && lua_tointeger(L, -1) == n;
  }
  return n;
}

/// A key and its place in the list that keeps it alive.
struct Key {
  PlainValue value;
  lua_Integer place;
  bool operator<(const Key& other) const { return value < other.value; }
};

/// Pushes a list of the keys of the table at 1, as they come, and notes them in `keys`; gives their number, n at most.
/// The list holds the texts that the keys point to, whatever becomes of the table.
lua_Integer list_keys(lua_State* L, Key* keys, lua_Integer n) {
  lua_createtable(L, static_cast<int>(n), 0);
  const int list = lua_gettop(L);
  lua_Integer found = 0;
  lua_pushnil(L);
  while (found < n && next_key(L)) {
    const PlainValue value = plain_value(L, -1);
    if (value.type == LUA_TNIL) {
      luaL_error(L, "pairs cannot order keys of type '%s'; use numbers, strings or booleans as keys, or keep a list",
                 luaL_typename(L, -1));
    }
    lua_pushvalue(L, -1);
    lua_rawseti(L, list, ++found);
    keys[found - 1] = {value, found};
  }
  lua_settop(L, list);
  return found;
}

/// Puts the list on the top of the stack in the order of the keys, in place: each key is in it or on the stack.
void put_in_order(lua_State* L, Key* keys, lua_Integer n) {
  for (lua_Integer i = 0; i < n; ++i) {
    if (keys[i].place == i + 1) continue;
    lua_rawgeti(L, -1, i + 1);
    lua_Integer hole = i;
    for (lua_Integer from = keys[hole].place; from != i + 1; from = keys[hole].place) {
      lua_rawgeti(L, -2, from);
      lua_rawseti(L, -3, hole + 1);
      keys[hole].place = hole + 1;
      hole = from - 1;
    }
    lua_rawseti(L, -2, hole + 1);
    keys[hole].place = hole + 1;
  }
}

/// Units of work for putting the keys in order. Of more than a thousand, each comparison is likely to wait for memory.
std::int64_t sorting_work(const Key* keys, lua_Integer n) {
  constexpr lua_Integer kNearby = 10;  ///< comparisons of a key that cost little
  const auto comparisons = static_cast<lua_Integer>(std::bit_width(static_cast<lua_Unsigned>(n)));
  std::int64_t work = n * (4 + 2 * std::max<lua_Integer>(0, comparisons - kNearby));
  for (lua_Integer i = 0; i < n; ++i) work += text_work(keys[i].value, n);
  return work;
}

/// Pushes a list of the n keys of the table at 1 in order.
void push_sorted_keys(lua_State* L, lua_Integer n) {
  auto* keys = static_cast<Key*>(lua_newuserdatauv(L, sizeof(Key) * static_cast<std::size_t>(n), 0));
  const lua_Integer found = list_keys(L, keys, n);
  charge(L, sorting_work(keys, found));
  std::sort(keys, keys + found);
  put_in_order(L, keys, found);
  lua_remove(L, -2);
}

/// Visits the keys in an order that depends on nothing but the keys. Lua's own order depends on addresses.
int pairs(lua_State* L) {
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  if (luaL_getmetafield(L, 1, "__pairs") != LUA_TNIL) {
    lua_insert(L, 1);
    lua_call(L, 1, 3);
    return 3;
  }
  lua_pushvalue(L, 1);
  if (push_original(L, 1)) lua_replace(L, 1);
  luaL_checktype(L, 1, LUA_TTABLE);
  bool sequence = true;
  const lua_Integer n = count_keys(L, sequence);
  charge(L, n);
  drop_empty_slots(L, 1, n);
  lua_pushvalue(L, 1);
  if (sequence) {
    lua_pushnil(L);
  } else {
    push_sorted_keys(L, n);
  }
  lua_pushinteger(L, 0);
  lua_pushinteger(L, n);
  lua_pushcclosure(L, pairs_step, 4);
  lua_pushvalue(L, 2);
  lua_pushnil(L);
  return 3;
}

void refuse_metafield(lua_State* L, const char* field, const char* why) {
  lua_pushstring(L, field);
  if (lua_rawget(L, 2) != LUA_TNIL) luaL_error(L, "'%s' is not available here: %s", field, why);
  lua_pop(L, 1);
}

int setmetatable(lua_State* L) {
  const int type = lua_type(L, 2);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_argexpected(L, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table");
  if (type == LUA_TTABLE) {
    refuse_metafield(L, "__gc", "when it would run depends on the garbage collector");
    refuse_metafield(L, "__mode", "what a weak table holds depends on the garbage collector");
  }
  if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL) return luaL_error(L, "cannot change a protected metatable");
  lua_settop(L, 2);
  lua_setmetatable(L, 1);
  return 1;
}

int rawget(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkany(L, 2);
  lua_settop(L, 2);
  if (push_original(L, 1)) lua_replace(L, 1);
  lua_rawget(L, 1);
  return 1;
}

int rawset(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkany(L, 2);
  luaL_checkany(L, 3);
  lua_settop(L, 3);
  if (push_original(L, 1)) return luaL_error(L, "attempt to change a read-only table");
  lua_rawset(L, 1);
  return 1;
}

int rawlen(lua_State* L) {
  luaL_argexpected(L, lua_istable(L, 1) || lua_type(L, 1) == LUA_TSTRING, 1, "table or string");
  if (push_original(L, 1)) lua_replace(L, 1);
  return answer(L, lua_rawlen(L, 1));
}

/// load(text [, name [, mode [, env]]]); upvalue: the environment that chunks see without `env`.
int load(lua_State* L) {
  if (lua_type(L, 1) != LUA_TSTRING)
    return luaL_error(L, "load takes the text of a chunk, got %s", luaL_typename(L, 1));
  std::size_t size = 0;
  const char* text = lua_tolstring(L, 1, &size);
  const char* name = luaL_optstring(L, 2, "=(load)");
  const bool own_environment = !lua_isnone(L, 4);
  charge(L, static_cast<std::int64_t>(size));
  const int status = luaL_loadbufferx(L, text, size, name, "t");
  rethrow_limit(L, status);
  if (status != LUA_OK) {
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
  }
  lua_pushvalue(L, own_environment ? 4 : lua_upvalueindex(1));
  if (lua_setupvalue(L, -2, 1) == nullptr) lua_pop(L, 1);
  return 1;
}

}  // namespace

void push_load(lua_State* L, int index) {
  lua_pushvalue(L, index);
  lua_pushcclosure(L, load, 1);
}

void install_base(lua_State* L) {
  const luaL_Reg functions[] = {
      {"print", guarded<print>}, {"tostring", tostring}, {"pairs", pairs},   {"setmetatable", setmetatable},
      {"rawget", rawget},        {"rawset", rawset},     {"rawlen", rawlen}, {nullptr, nullptr}};
  luaL_setfuncs(L, functions, 0);
  lua_getfield(L, -1, "tonumber");
  lua_pushcclosure(L, tonumber, 1);
  lua_setfield(L, -2, "tonumber");
}

}  // namespace coslice::luahost

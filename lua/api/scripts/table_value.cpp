#include "api/scripts/table_value.h"

#include <algorithm>
#include <lua.hpp>

#include <fmt/format.h>

#include "api/scripts/size_table.h"
#include "host/guard.h"
#include "host/readonly.h"
#include "host/value_text.h"

namespace coslice {
namespace {

const char kLine = 0;  ///< its address is the key in a metatable under which the line is

constexpr int kDeepestTable = 32;

class Reader {
 public:
  explicit Reader(lua_State* L) : L_(L) {}

  Value read(int index, const Place& place, const std::string& path, bool empty_is_list, int depth) {
    if (depth > kDeepestTable)
      fail_at(place, path + " is nested too deeply", "at most 32 levels; is it inside itself?");
    Value v = content(lua_absindex(L_, index), place, path, empty_is_list, depth);
    if (!v.place.source) v.place = place;
    return v;
  }

 private:
  Value content(int index, const Place& place, const std::string& path, bool empty_is_list, int depth) {
    std::size_t size = 0;
    switch (lua_type(L_, index)) {
      case LUA_TNIL: return Value();
      case LUA_TBOOLEAN: return Value(lua_toboolean(L_, index) != 0);
      case LUA_TNUMBER:
        if (lua_isinteger(L_, index) != 0) return Value(static_cast<std::int64_t>(lua_tointeger(L_, index)));
        return Value(static_cast<double>(lua_tonumber(L_, index)));
      case LUA_TSTRING: {
        const char* text = lua_tolstring(L_, index, &size);
        return Value(std::string(text, size));
      }
      case LUA_TTABLE: return table(index, own_place(index, place), path, empty_is_list, depth);
      default:
        fail_at(place, fmt::format("{} is {}", path, describe_value(L_, index)), "plain data: numbers, texts, tables");
    }
  }

  Place own_place(int index, Place place) {
    const luahost::StackGuard guard(L_);
    if (lua_getmetatable(L_, index) != 0 && lua_rawgetp(L_, -1, &kLine) == LUA_TNUMBER) {
      place.line = static_cast<int>(lua_tointeger(L_, -1));
    }
    return place;
  }

  Value table(int index, const Place& place, const std::string& path, bool empty_is_list, int depth) {
    const luahost::StackGuard guard(L_);
    luaL_checkstack(L_, 8, "a scenario's table");
    if (push_original(L_, index)) index = lua_gettop(L_);
    const auto n = static_cast<lua_Integer>(lua_rawlen(L_, index));
    Value v = n > 0 || empty_is_list ? list(index, n, place, path, depth) : Value::table();
    v.place = place;
    lua_pushnil(L_);
    while (lua_next(L_, index) != 0) {
      add_member(v, index, n, place, path, depth);
      lua_pop(L_, 1);
    }
    return v;
  }

  Value list(int index, lua_Integer n, const Place& place, const std::string& path, int depth) {
    Value::List items;
    for (lua_Integer i = 1; i <= n; ++i) {
      lua_rawgeti(L_, index, i);
      items.push_back(read(-1, place, fmt::format("{}[{}]", path, i), false, depth + 1));
      lua_pop(L_, 1);
    }
    return Value(std::move(items));
  }

  /// The key and value on the top of the stack, of the table at `index`, unless they are part of the list.
  void add_member(Value& v, int index, lua_Integer n, const Place& place, const std::string& path, int depth) {
    const std::string whole = path.empty() ? "the scenario" : path;
    if (v.is_list()) {
      int is_integer = 0;
      const lua_Integer i = lua_tointegerx(L_, -2, &is_integer);
      if (lua_type(L_, -2) == LUA_TNUMBER && is_integer != 0 && i >= 1 && i <= n) return;
      fail_at(place, fmt::format("{} is a list that also has the key {}", whole, describe_value(L_, -2)),
              "a list or named keys");
    }
    if (lua_type(L_, -2) != LUA_TSTRING) {
      fail_at(place, fmt::format("{} has the key {}", whole, describe_value(L_, -2)), "named keys");
    }
    const std::string key = lua_tostring(L_, -2);
    if (key == "sizes" && lua_istable(L_, -1)) {
      if (auto text = sizes_by_function(L_, index, place, joined(path, key))) {
        Value sizes(std::move(*text));
        sizes.place = place;
        v.set(key, std::move(sizes));
        return;
      }
    }
    const bool nested = lua_type(L_, -1) > LUA_TSTRING;  // what is plain has no place in messages
    v.set(key, read(-1, place, nested ? joined(path, key) : path, key == "jobs", depth + 1));
  }

  lua_State* L_;
};

}  // namespace

void mark_line(lua_State* L, int index, int line) {
  index = lua_absindex(L, index);
  lua_createtable(L, 0, 1);
  lua_pushinteger(L, line);
  lua_rawsetp(L, -2, &kLine);
  lua_setmetatable(L, index);
}

Value value_from_lua(lua_State* L, int index, const Place& place, const std::string& path, bool empty_is_list) {
  return Reader(L).read(index, place, path, empty_is_list, 0);
}

void find_lines(Value& v, std::string_view text) {
  if (Value::List* list = v.list())
    for (Value& item : *list) find_lines(item, text);
  if (Value::Table* members = v.members())
    for (Member& m : *members) {
      if (m.value.place.line == 0) m.value.place.line = line_of_field(text, m.key);
      find_lines(m.value, text);
    }
}

void push_data(const FieldReader& f, std::vector<std::string> keys, const std::vector<std::string>& apart) {
  lua_State* const L = f.state();
  keys.insert(keys.end(), apart.begin(), apart.end());
  f.only(keys);
  lua_newtable(L);
  lua_pushnil(L);
  while (lua_next(L, f.index()) != 0) {
    if (std::ranges::find(apart, lua_tostring(L, -2)) != apart.end()) {
      lua_pop(L, 1);
      continue;
    }
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -4);
  }
}

void pop_data(const FieldReader& f) { lua_pop(f.state(), 1); }

}  // namespace coslice

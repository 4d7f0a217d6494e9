// A total order of plain Lua values that depends on nothing but the values: numbers by size, then strings by bytes,
// then false and true. `pairs` visits keys in it.
#pragma once

#include <cstddef>
#include <lua.hpp>

namespace coslice::luahost {

/// A number, string or boolean taken off the stack. A string is not owned: keep it alive elsewhere.
struct PlainValue {
  int type;  ///< LUA_TNUMBER, LUA_TSTRING, LUA_TBOOLEAN; anything else has no order
  bool whole;
  union {
    lua_Integer integer;
    lua_Number real;
    const char* text;
  };
  std::size_t size;  ///< of the text
};

/// The value at `index`. `type` is LUA_TNIL for what has no order: nil, NaN, tables, functions, ...
PlainValue plain_value(lua_State* L, int index);
bool operator<(const PlainValue& a, const PlainValue& b);

}  // namespace coslice::luahost

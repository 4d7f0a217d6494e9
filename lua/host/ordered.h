// A total order of plain Lua values that depends on nothing but the values: numbers by size, then strings by bytes,
// then false and true. `pairs` visits keys in it.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// Returns the value at `index`. `type` is LUA_TNIL for what has no order: nil, NaN, tables, functions, ...
PlainValue plain_value(lua_State* L, int index);
bool operator<(const PlainValue& a, const PlainValue& b);

/// Units of work for looking through the text of `v` in each comparison while n values are put in order: 0 for what is
/// short, and no text. How many comparisons there are is not asked: it may depend on the order that they come in.
std::int64_t text_work(const PlainValue& v, std::int64_t n);

}  // namespace coslice::luahost

#include "host/ordered.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace coslice::luahost {
namespace {

/// Exact: no conversion of the whole number to floating point, which would round.
bool less_mixed(lua_Integer i, lua_Number d) {
  if (d >= 9223372036854775808.0) return true;
  if (d < -9223372036854775808.0) return false;
  const lua_Number floor = std::floor(d);
  return i < static_cast<lua_Integer>(floor) || (i == static_cast<lua_Integer>(floor) && floor < d);
}

bool equal_mixed(lua_Integer i, lua_Number d) {
  return d >= -9223372036854775808.0 && d < 9223372036854775808.0 && std::floor(d) == d &&
         static_cast<lua_Integer>(d) == i;
}

bool less_number(const PlainValue& a, const PlainValue& b) {
  if (a.whole && b.whole) return a.integer < b.integer;
  if (!a.whole && !b.whole) return a.real < b.real;
  if (a.whole) return less_mixed(a.integer, b.real);
  return !less_mixed(b.integer, a.real) && !equal_mixed(b.integer, a.real);
}

bool less_text(const PlainValue& a, const PlainValue& b) {
  const int order = std::memcmp(a.text, b.text, std::min(a.size, b.size));
  return order != 0 ? order < 0 : a.size < b.size;
}

int rank(int type) { return type == LUA_TNUMBER ? 0 : type == LUA_TSTRING ? 1 : 2; }

}  // namespace

PlainValue plain_value(lua_State* L, int index) {
  PlainValue v{};
  v.type = lua_type(L, index);
  if (v.type == LUA_TNUMBER) {
    v.whole = lua_isinteger(L, index) != 0;
    if (v.whole) {
      v.integer = lua_tointeger(L, index);
    } else {
      v.real = lua_tonumber(L, index);
      if (std::isnan(v.real)) v.type = LUA_TNIL;
    }
  } else if (v.type == LUA_TSTRING) {
    v.text = lua_tolstring(L, index, &v.size);
  } else if (v.type == LUA_TBOOLEAN) {
    v.integer = lua_toboolean(L, index);
  } else {
    v.type = LUA_TNIL;
  }
  return v;
}

bool operator<(const PlainValue& a, const PlainValue& b) {
  if (a.type != b.type) return rank(a.type) < rank(b.type);
  if (a.type == LUA_TNUMBER) return less_number(a, b);
  if (a.type == LUA_TSTRING) return less_text(a, b);
  return a.integer < b.integer;
}

std::int64_t text_work(const PlainValue& v, std::int64_t n) {
  constexpr std::size_t kComparedAtOnce = 256;  ///< bytes for a unit of work
  if (v.type != LUA_TSTRING) return 0;
  return static_cast<std::int64_t>(v.size / kComparedAtOnce * std::bit_width(static_cast<std::uint64_t>(n)));
}

}  // namespace coslice::luahost

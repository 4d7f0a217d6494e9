#include "host/call.h"

#include "host/core.h"

namespace coslice {

using namespace luahost;

namespace {

/// Stack: 1 where to put the reference, 2 the value.
int hold_value(lua_State* L) {
  *static_cast<LuaRef*>(lua_touserdata(L, 1)) = LuaRef::pop(L);
  return 0;
}

}  // namespace

Call::Call(LuaState& state, const LuaRef& function, const std::string& label)
    : core_(state.core()), L_(core_.current), function_(function), label_(label), top_(lua_gettop(L_)), base_(top_) {
  luaL_checkstack(L_, LUA_MINSTACK, "call");
  if (core_.depth > 0) {  // else the handler lies at the bottom of the main stack
    lua_pushcfunction(L_, note_traceback);
    handler_ = ++base_;
  }
  function.push(L_);
}

Call::~Call() { lua_settop(L_, top_); }

Call& Call::push(double x) {
  lua_pushnumber(L_, x);
  ++arguments_;
  return *this;
}

Call& Call::push(std::int64_t i) {
  lua_pushinteger(L_, i);
  ++arguments_;
  return *this;
}

Call& Call::push(bool b) {
  lua_pushboolean(L_, b);
  ++arguments_;
  return *this;
}

Call& Call::push(std::string_view s) {
  lua_pushlstring(L_, s.data(), s.size());
  ++arguments_;
  return *this;
}

Call& Call::push(const LuaRef& value) {
  value.push(L_);
  ++arguments_;
  return *this;
}

Call& Call::push_nil() {
  lua_pushnil(L_);
  ++arguments_;
  return *this;
}

void Call::invoke(int results) {
  ++core_.calls;
  Entry entry(core_, &label_);
  const int status = lua_pcall(L_, arguments_, results, handler_);
  if (status != LUA_OK || core_.exhausted != Exhausted::kNothing) throw_failure(core_, L_, status, label_);
}

double Call::number(int i) {
  if (lua_type(L_, index(i)) != LUA_TNUMBER) fail(i, "a number");
  return lua_tonumber(L_, index(i));
}

std::int64_t Call::integer(int i) {
  int whole = 0;
  const lua_Integer n = lua_type(L_, index(i)) == LUA_TNUMBER ? lua_tointegerx(L_, index(i), &whole) : 0;
  if (whole == 0) fail(i, "a whole number");
  return n;
}

bool Call::boolean(int i) {
  if (!lua_isboolean(L_, index(i))) fail(i, "true or false");
  return lua_toboolean(L_, index(i)) != 0;
}

std::string Call::string(int i) {
  if (lua_type(L_, index(i)) != LUA_TSTRING) fail(i, "a string");
  std::size_t size = 0;
  const char* text = lua_tolstring(L_, index(i), &size);
  return {text, size};
}

bool Call::is_nil(int i) const { return lua_isnil(L_, index(i)); }

LuaRef Call::value(int i) {
  LuaRef ref;
  lua_pushcfunction(L_, hold_value);
  lua_pushlightuserdata(L_, &ref);
  lua_pushvalue(L_, index(i));
  Entry entry(core_);
  const int status = lua_pcall(L_, 2, 0, 0);
  if (status != LUA_OK) throw_failure(core_, L_, status, label_);
  return ref;
}

void Call::fail(int i, const std::string& expected) { throw wrong_result(L_, index(i), function_, label_, expected); }

}  // namespace coslice

#include "host/guard.h"

#include <new>

#include "host/bind.h"
#include "host/core.h"

namespace coslice::luahost {
namespace {

const char kCarrier = 0;  ///< its address is the registry key of the carriers' metatable

std::exception_ptr& carrier(lua_State* L, int index) {
  return *static_cast<std::exception_ptr*>(lua_touserdata(L, index));
}

std::string text_of(const std::exception_ptr& e) {
  try {
    std::rethrow_exception(e);
  } catch (const std::exception& x) {
    return x.what();
  }
}

int carrier_gc(lua_State* L) {
  carrier(L, 1).~exception_ptr();
  return 0;
}

int carrier_tostring(lua_State* L) { return answer(L, text_of(carrier(L, 1))); }

/// Lets scripts write `"failed: " .. err` with our errors as with their own.
int carrier_concat(lua_State* L) {
  for (int i = 1; i <= 2; ++i) {
    push_text(L, i);
    lua_replace(L, i);
  }
  lua_concat(L, 2);
  return 1;
}

void push_carrier_metatable(lua_State* L) {
  push_kept(L, &kCarrier, [&] {
    lua_newtable(L);
    set_functions(L, {{"__tostring", carrier_tostring}, {"__concat", carrier_concat}});
    set_finalizer(L, carrier_gc);
    set_field(L, "__metatable", "error");
  });
}

bool is_out_of_memory(const std::exception_ptr& e) {
  try {
    std::rethrow_exception(e);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

void raise_exception(lua_State* L, const std::exception_ptr& e) {
  lua_settop(L, 0);  // the function may have filled its part of the stack
  if (is_out_of_memory(e)) luaL_error(L, "not enough memory");
  push_carrier_metatable(L);
  void* block = lua_newuserdatauv(L, sizeof(std::exception_ptr), 0);
  new (block) std::exception_ptr(e);
  lua_insert(L, -2);
  lua_setmetatable(L, -2);
  lua_error(L);
  std::abort();
}

void raise_text(lua_State* L, const std::string& text) {
  luaL_where(L, 1);
  lua_pushlstring(L, text.data(), text.size());
  lua_concat(L, 2);
  lua_error(L);
  std::abort();
}

const std::exception_ptr* carried_exception(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return nullptr;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &kCarrier);
  const bool same = !lua_isnil(L, -1) && lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same ? &carrier(L, lua_absindex(L, index)) : nullptr;
}

}  // namespace coslice::luahost

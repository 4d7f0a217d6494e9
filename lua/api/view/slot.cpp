#include "api/view/slot.h"

#include <cstring>
#include <limits>
#include <lua.hpp>

#include "api/view/view_object.h"
#include "host/guard.h"
#include "host/typed_userdata.h"

namespace coslice {
namespace {

const char* const kSlotType = "coslice.Slot";
const char kSlotKey = 0;

double shown_seconds(Time t) { return t == kNever ? std::numeric_limits<double>::infinity() : to_seconds(t); }

/// slot.NAME: `time` or `is_now`; an error for others.
int slot_index(lua_State* L) {
  const Time t = check_slot(L, 1);
  const char* name = luaL_checkstring(L, 2);
  if (std::strcmp(name, "time") == 0) {
    lua_pushnumber(L, shown_seconds(t));
  } else if (std::strcmp(name, "is_now") == 0) {
    const ViewObject* object = *static_cast<ViewObject**>(lua_touserdata(L, lua_upvalueindex(1)));
    if (object == nullptr) return luaL_error(L, "slots are only valid inside the hook that made them");
    lua_pushboolean(L, t == object->view(L).now() ? 1 : 0);
  } else {
    return luaL_error(L, "a slot has no field '%s'; it has 'time' and 'is_now'", name);
  }
  return 1;
}

/// slot == slot
int slot_equal(lua_State* L) {
  lua_pushboolean(L, check_slot(L, 1) == check_slot(L, 2) ? 1 : 0);
  return 1;
}
/// slot < slot
int slot_less(lua_State* L) {
  lua_pushboolean(L, check_slot(L, 1) < check_slot(L, 2) ? 1 : 0);
  return 1;
}
/// slot <= slot
int slot_less_equal(lua_State* L) {
  lua_pushboolean(L, check_slot(L, 1) <= check_slot(L, 2) ? 1 : 0);
  return 1;
}

std::string slot_text(lua_State* L) {
  const Time t = check_slot(L, 1);
  return t == kNever ? "slot never" : "slot at " + format_seconds(t.time_since_epoch()) + " s";
}
/// tostring(slot) -> string
int slot_tostring(lua_State* L) {
  const std::string text = slot_text(L);
  lua_pushlstring(L, text.data(), text.size());
  return 1;
}

}  // namespace

LuaRef slot_metatable(lua_State* L, ViewObject** place) {
  lua_newtable(L);
  luahost::mark_type(L, &kSlotKey, kSlotType);
  lua_pushlightuserdata(L, place);
  lua_pushcclosure(L, slot_index, 1);
  lua_setfield(L, -2, "__index");
  const luaL_Reg methods[] = {{"__eq", slot_equal},
                              {"__lt", slot_less},
                              {"__le", slot_less_equal},
                              {"__tostring", luahost::guarded<slot_tostring>},
                              {nullptr, nullptr}};
  luaL_setfuncs(L, methods, 0);
  return LuaRef::pop(L);
}

void push_slot(lua_State* L, const LuaRef& metatable, Time t) {
  *static_cast<Time*>(lua_newuserdatauv(L, sizeof(Time), 0)) = t;
  metatable.push(L);
  lua_setmetatable(L, -2);
}

Time check_slot(lua_State* L, int index) {
  return *static_cast<const Time*>(luahost::check_type(L, index, &kSlotKey, kSlotType));
}

bool is_slot(lua_State* L, int index) { return luahost::test_type(L, index, &kSlotKey) != nullptr; }

}  // namespace coslice

#include "api/view/slot.h"

#include <limits>

#include "api/view/view_object.h"
#include "host/bind.h"
#include "host/typed_userdata.h"

namespace coslice {
namespace {

const char* const kSlotType = "coslice.Slot";
const char kSlotKey = 0;

double shown_seconds(Time t) { return t == kNever ? std::numeric_limits<double>::infinity() : to_seconds(t); }

/// slot.NAME: `time` or `is_now`; an error for others.
int slot_index(lua_State* L) {
  const Time t = check_slot(L, 1);
  const std::string_view name = luaL_checkstring(L, 2);
  if (name == "time") return luahost::answer(L, shown_seconds(t));
  if (name != "is_now") luahost::raise(L, "a slot has no field '{}'; it has 'time' and 'is_now'", name);
  const ViewObject* object = *static_cast<ViewObject**>(lua_touserdata(L, lua_upvalueindex(1)));
  if (object == nullptr) luahost::raise(L, "slots are only valid inside the hook that made them");
  return luahost::answer(L, t == object->view(L).now());
}

/// slot == slot, slot < slot, slot <= slot
int slot_equal(lua_State* L) { return luahost::answer(L, check_slot(L, 1) == check_slot(L, 2)); }
int slot_less(lua_State* L) { return luahost::answer(L, check_slot(L, 1) < check_slot(L, 2)); }
int slot_less_equal(lua_State* L) { return luahost::answer(L, check_slot(L, 1) <= check_slot(L, 2)); }

/// tostring(slot) -> string
int slot_tostring(lua_State* L) {
  const Time t = check_slot(L, 1);
  return luahost::answer(L, t == kNever ? "slot never" : "slot at " + format_seconds(t.time_since_epoch()) + " s");
}

}  // namespace

LuaRef slot_metatable(lua_State* L, ViewObject** place) {
  lua_newtable(L);
  luahost::mark_type(L, &kSlotKey, kSlotType);
  lua_pushlightuserdata(L, place);
  luahost::set_functions(L, {{"__index", luahost::guarded<slot_index>}}, 1);
  luahost::set_functions(L, {{"__eq", slot_equal},
                             {"__lt", slot_less},
                             {"__le", slot_less_equal},
                             {"__tostring", luahost::guarded<slot_tostring>}});
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

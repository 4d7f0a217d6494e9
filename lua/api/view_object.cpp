#include "api/view_object.h"

#include <algorithm>
#include <cstring>
#include <lua.hpp>

#include "api/group_object.h"
#include "api/pair_methods.h"
#include "api/slot.h"
#include "api/view_methods.h"
#include "host/guard.h"
#include "host/state.h"

namespace coslice {

namespace {

const char* const kViewType = "coslice.View";

/// What the Lua value holds.
struct Handle {
  ViewObject* object;
};

double seconds(Time t) { return to_seconds(t); }

/// Pushes the value of a field of the view; false if it has no such field.
bool push_field(lua_State* L, ViewObject& object, const char* name) {
  const auto is = [&](const char* field) { return std::strcmp(name, field) == 0; };
  View& view = object.view(L);
  if (is("now")) {
    object.read_clock();
    lua_pushnumber(L, seconds(view.now()));
    return true;
  }
  if (is("free")) lua_pushinteger(L, view.free_now());
  else if (is("idle")) lua_pushinteger(L, std::min(view.ceiling(), view.capacity()));
  else if (is("capacity")) lua_pushinteger(L, view.capacity());
  else if (is("waiting_count")) lua_pushinteger(L, static_cast<lua_Integer>(view.queue().size()));
  else if (is("submitted")) lua_pushboolean(L, object.pass().submitted ? 1 : 0);
  else if (is("ended")) lua_pushboolean(L, object.pass().ended ? 1 : 0);
  else if (is("corrected")) lua_pushboolean(L, object.pass().corrected ? 1 : 0);
  else if (is("due")) lua_pushboolean(L, object.pass().due ? 1 : 0);
  else return false;
  return true;
}

/// view.x: a method, or a field.
int index(lua_State* L) {
  const char* name = luaL_checkstring(L, 2);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) == LUA_TFUNCTION) return 1;
  if (!push_field(L, view_object(L), name)) return luaL_error(L, "a view has no field or method '%s'", name);
  return 1;
}

int refuse_write(lua_State* L) { return luaL_error(L, "a view cannot be written to"); }

void build_metatable(lua_State* L, GroupContext* groups) {
  luaL_newmetatable(L, kViewType);
  push_view_methods(L);
  add_queue_methods(L);
  add_queue_iterators(L);
  if (groups != nullptr) {
    add_group_methods(L, *groups);
    add_pair_methods(L, *groups);
  }
  lua_pushcclosure(L, index, 1);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, refuse_write);
  lua_setfield(L, -2, "__newindex");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
}

}  // namespace

ViewObject& view_object(lua_State* L) {
  ViewObject* const object = static_cast<Handle*>(luaL_checkudata(L, 1, kViewType))->object;
  if (object == nullptr) luaL_error(L, "the view is only valid inside the hook that it was handed to");
  return *object;
}

namespace {

const char kPlaceKey = 0;  ///< its address is the registry's key

ViewObject** place_in(lua_State* L) {
  const luahost::StackGuard guard(L);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &kPlaceKey) == LUA_TUSERDATA)
    return static_cast<ViewObject**>(lua_touserdata(L, -1));
  auto** place = static_cast<ViewObject**>(lua_newuserdatauv(L, sizeof(ViewObject*), 0));
  *place = nullptr;
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kPlaceKey);
  return place;
}

}  // namespace

ViewObject::~ViewObject() {
  *handle_ = nullptr;
  if (*place_ == this) *place_ = nullptr;
}

ViewObject::Shown ViewObject::show(const Shown& shown) {
  if (shown_.view == nullptr) outer_ = *place_;
  *place_ = shown.view == nullptr ? outer_ : this;
  return std::exchange(shown_, shown);
}

ViewObject::ViewObject(LuaState& state, const JobTables& jobs, const SlowdownModel* slowdowns, const NodeShape& shape)
    : jobs_(jobs) {
  if (slowdowns != nullptr) groups_ = std::make_unique<GroupContext>(*slowdowns, shape, *this);
  state.protect([&](lua_State* L) {
    place_ = place_in(L);
    build_slot_metatable(L, *this);
    if (groups_) build_group_metatables(L, *groups_);
    auto* handle = static_cast<Handle*>(lua_newuserdatauv(L, sizeof(Handle), 0));
    handle->object = this;
    handle_ = &handle->object;
    build_metatable(L, groups_.get());
    lua_setmetatable(L, -2);
    value_ = LuaRef::pop(L);
  });
}

View& ViewObject::view(lua_State* L) const {
  if (shown_.view == nullptr) luaL_error(L, "the view is only valid inside the hook that it was handed to");
  return *shown_.view;
}

void ViewObject::check_decides(lua_State* L) const {
  if (!shown_.decides) luaL_error(L, "this hook cannot start or reserve anything; 'schedule' can");
}

View::Position ViewObject::waiting_position(lua_State* L, int index) {
  const JobIndex j = jobs_.index_of(L, index);
  const WaitingQueue& queue = view(L).queue();
  if (shown_.hint < queue.end() && queue.live(shown_.hint) && queue.job(shown_.hint) == j) return shown_.hint;
  const View::Position p = queue.find(j);
  if (p >= queue.end()) luaL_error(L, "job %I is not waiting", static_cast<LUAI_UACINT>(view(L).job(j).id));
  return shown_.hint = p;
}

}  // namespace coslice

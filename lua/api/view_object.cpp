#include "api/view_object.h"

#include <algorithm>
#include <iterator>
#include <lua.hpp>

#include "api/group_object.h"
#include "api/pair_methods.h"
#include "api/prospect_methods.h"
#include "api/slot.h"
#include "api/view_methods.h"
#include "host/guard.h"
#include "host/state.h"

namespace coslice {

namespace {

const char* const kViewType = "coslice.View";
const char kViewTypeKey = 0;  ///< its address is the registry's key of the same metatable: found without a string

/// What the Lua value holds.
struct Handle {
  ViewObject* object;
};

double seconds(Time t) { return to_seconds(t); }

/// What a view has beside methods.
enum class Field : std::uint8_t { kNow, kMachineNow, kFree, kIdle, kCapacity, kWaitingCount, kSubmitted, kEnded, kCorrected, kDue, kNodesOff };
constexpr const char* kFields[] = {"now", "machine_now", "free",  "idle",      "capacity", "waiting_count",
                                   "submitted", "ended", "corrected", "due", "nodes_off"};

void push_field(lua_State* L, ViewObject& object, Field field) {
  View& view = object.view(L);
  switch (field) {
    case Field::kNow: object.read_clock(); return lua_pushnumber(L, seconds(view.now()));
    case Field::kMachineNow: object.read_clock(); return lua_pushnumber(L, seconds(view.wall_now()));
    case Field::kFree: return lua_pushinteger(L, view.free_now());
    case Field::kIdle: return lua_pushinteger(L, std::min(view.ceiling(), view.capacity()));
    case Field::kCapacity: return lua_pushinteger(L, view.capacity());
    case Field::kWaitingCount: return lua_pushinteger(L, static_cast<lua_Integer>(view.queue().size()));
    case Field::kSubmitted: return lua_pushboolean(L, object.pass().submitted ? 1 : 0);
    case Field::kEnded: return lua_pushboolean(L, object.pass().ended ? 1 : 0);
    case Field::kCorrected: return lua_pushboolean(L, object.pass().corrected ? 1 : 0);
    case Field::kNodesOff: return lua_pushinteger(L, view.host().nodes_off());
    case Field::kDue: return lua_pushboolean(L, object.pass().due ? 1 : 0);
  }
}

/// view.x: a method, or a field. Upvalue: a table with methods by their names, and the numbers of fields by theirs.
int index(lua_State* L) {
  if (lua_type(L, 2) == LUA_TSTRING) {
    lua_pushvalue(L, 2);
    const int found = lua_rawget(L, lua_upvalueindex(1));
    if (found == LUA_TFUNCTION) return 1;
    if (found == LUA_TNUMBER) {
      push_field(L, view_object(L), static_cast<Field>(lua_tointeger(L, -1)));
      return 1;
    }
  }
  return luaL_error(L, "a view has no field or method '%s'", luaL_checkstring(L, 2));
}

int refuse_write(lua_State* L) { return luaL_error(L, "a view cannot be written to"); }

void build_metatable(lua_State* L, GroupContext* groups) {
  luaL_newmetatable(L, kViewType);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kViewTypeKey);
  push_view_methods(L);
  add_queue_methods(L);
  add_queue_iterators(L);
  add_stop_methods(L);
  add_clock_methods(L);
  add_plan_method(L);
  add_place_methods(L);
  if (groups != nullptr) {
    add_group_methods(L, *groups);
    add_pair_methods(L, *groups);
    add_prospect_methods(L, *groups);
  }
  for (std::size_t i = 0; i != std::size(kFields); ++i) {
    lua_pushinteger(L, static_cast<lua_Integer>(i));
    lua_setfield(L, -2, kFields[i]);
  }
  lua_pushcclosure(L, index, 1);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, refuse_write);
  lua_setfield(L, -2, "__newindex");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
}

}  // namespace

namespace {

/// luaL_checkudata, which looks the name up as a string at each call.
Handle& check_handle(lua_State* L) {
  void* const handle = lua_touserdata(L, 1);
  bool is_view = false;
  if (handle != nullptr && lua_getmetatable(L, 1) != 0) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &kViewTypeKey);
    is_view = lua_rawequal(L, -1, -2) != 0;
    lua_pop(L, 2);
  }
  return *static_cast<Handle*>(is_view ? handle : luaL_checkudata(L, 1, kViewType));
}

}  // namespace

ViewObject& view_object(lua_State* L) {
  ViewObject* const object = check_handle(L).object;
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
  ++uses_;
  return *shown_.view;
}

void ViewObject::check_decides(lua_State* L) const {
  if (!shown_.decides) luaL_error(L, "this hook cannot start or reserve anything; 'schedule' can");
}

const ViewObject::Believed& ViewObject::believed(lua_State* L, JobIndex j) {
  if (j >= believed_.size()) believed_.resize(j + std::size_t{1});
  Believed& b = believed_[j];
  if (b.estimate >= 0) return b;
  const std::optional<JobNumber> submit = jobs_.number(j, "submit"), estimate = jobs_.number(j, "estimate");
  if (submit && estimate) {
    b = {estimate->value, submit->value};
  } else {
    jobs_.push(L, j);
    lua_getfield(L, -1, "submit");
    lua_getfield(L, -2, "estimate");
    b = {lua_tonumber(L, -1), lua_tonumber(L, -2)};
    lua_pop(L, 3);
  }
  return b;
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

#include "api/view/view_object.h"

#include <algorithm>
#include <iterator>
#include <lua.hpp>

#include "api/groups/group_object.h"
#include "api/jobs/known_fields.h"
#include "api/view/slot.h"
#include "api/view/view_methods.h"
#include "host/bind.h"
#include "host/state.h"
#include "host/typed_userdata.h"

namespace coslice {
namespace {

using luahost::push;

const char* const kViewType = "coslice.View";
const char kViewKey = 0;

/// What the Lua value holds.
struct Handle {
  ViewObject* object;
};

/// What a view has beside methods.
struct Field {
  const char* name;
  void (*push)(lua_State* L, ViewObject& object, View& view);
};
constexpr Field kFields[] = {
    {"now", [](lua_State* L, ViewObject& o, View& v) { o.read_clock(), push(L, to_seconds(v.now())); }},
    {"machine_now", [](lua_State* L, ViewObject& o, View& v) { o.read_clock(), push(L, to_seconds(v.wall_now())); }},
    {"free", [](lua_State* L, ViewObject&, View& v) { push(L, v.free_now()); }},
    {"idle", [](lua_State* L, ViewObject&, View& v) { push(L, std::min(v.ceiling(), v.capacity())); }},
    {"capacity", [](lua_State* L, ViewObject&, View& v) { push(L, v.capacity()); }},
    {"waiting_count", [](lua_State* L, ViewObject&, View& v) { push(L, v.queue().size()); }},
    {"submitted", [](lua_State* L, ViewObject& o, View&) { push(L, o.pass().submitted); }},
    {"ended", [](lua_State* L, ViewObject& o, View&) { push(L, o.pass().ended); }},
    {"corrected", [](lua_State* L, ViewObject& o, View&) { push(L, o.pass().corrected); }},
    {"due", [](lua_State* L, ViewObject& o, View&) { push(L, o.pass().due); }},
    {"nodes_off", [](lua_State* L, ViewObject&, View& v) { push(L, v.host().nodes_off()); }},
    {"room", [](lua_State* L, ViewObject&, View& v) { push(L, v.has_room()); }},
};

/// view.x where x is no method. Upvalues: the view, and a table with the numbers of fields by their names.
int index(lua_State* L) {
  if (lua_type(L, 2) == LUA_TSTRING) {
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(2)) == LUA_TNUMBER) {
      ViewObject& object = own_view(L);
      kFields[lua_tointeger(L, -1)].push(L, object, object.view(L));
      return 1;
    }
  }
  const char* const name = luaL_checkstring(L, 2);
  luaL_checktype(L, 1, LUA_TTABLE);
  std::vector<std::string> known = text_keys(L, 1);  // the methods
  for (const Field& f : kFields) known.emplace_back(f.name);
  raise_unknown_field(L, "a view has no method and", name, known);
}

/// view.NAME = value: always an error.
int refuse_write(lua_State* L) { return luaL_error(L, "a view cannot be written to"); }

/// Pushes the table of methods, which looks fields up by `index`: Lua finds a method without calling a function.
void push_members(lua_State* L, int view, GroupContext* groups) {
  push_view_methods(L);
  add_queue_methods(L);
  add_queue_iterators(L);
  add_stop_methods(L);
  add_elastic_methods(L);
  add_clock_methods(L);
  add_plan_method(L);
  add_place_methods(L);
  add_units_method(L);
  if (groups != nullptr) {
    add_group_methods(L, *groups);
    add_pair_methods(L, *groups);
    add_prospect_methods(L, *groups);
  }
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, view);
  lua_createtable(L, 0, static_cast<int>(std::size(kFields)));
  for (std::size_t i = 0; i != std::size(kFields); ++i) luahost::set_field(L, kFields[i].name, i);
  luahost::set_functions(L, {{"__index", luahost::guarded<index>}}, 2);
  lua_setmetatable(L, -2);
}

/// Gives the view on the top of the stack its metatable.
void set_view_metatable(lua_State* L, GroupContext* groups) {
  const int view = lua_gettop(L);
  lua_newtable(L);
  luahost::mark_type(L, &kViewKey, kViewType);
  push_members(L, view, groups);
  lua_setfield(L, -2, "__index");
  luahost::set_functions(L, {{"__newindex", refuse_write}});
  lua_setmetatable(L, view);
}

ViewObject& object_of(lua_State* L, void* handle) {
  ViewObject* const object = static_cast<Handle*>(handle)->object;
  if (object == nullptr) luaL_error(L, "the view is only valid inside the hook that it was handed to");
  return *object;
}

const char kPlaceKey = 0;  ///< its address is the registry's key

ViewObject** place_in(lua_State* L) {
  const luahost::StackGuard guard(L);
  luahost::push_kept(L, &kPlaceKey,
                     [&] { *static_cast<ViewObject**>(lua_newuserdatauv(L, sizeof(ViewObject*), 0)) = nullptr; });
  return static_cast<ViewObject**>(lua_touserdata(L, -1));
}

}  // namespace

ViewObject& view_object(lua_State* L) { return view_object_at(L, 1); }

ViewObject& view_object_at(lua_State* L, int index) {
  return object_of(L, luahost::check_type(L, index, &kViewKey, kViewType));
}

ViewObject& own_view(lua_State* L) { return object_of(L, lua_touserdata(L, lua_upvalueindex(1))); }

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
    slots_ = slot_metatable(L, place_);
    if (groups_) build_group_metatables(L, *groups_);
    auto* handle = static_cast<Handle*>(lua_newuserdatauv(L, sizeof(Handle), 0));
    handle->object = this;
    handle_ = &handle->object;
    set_view_metatable(L, groups_.get());
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

void ViewObject::check_may_act(lua_State* L) const {
  if (shown_.only_asks) luaL_error(L, "the hook 'reason' only says why: it must not change anything");
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
  if (p >= queue.end()) luahost::raise(L, "job {} is not waiting", view(L).job(j).id);
  return shown_.hint = p;
}

}  // namespace coslice

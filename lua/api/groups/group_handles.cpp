#include "api/groups/group_handles.h"

#include "api/jobs/job_tables.h"
#include "api/scripts/options.h"
#include "api/view/view_object.h"

namespace coslice::groups {

const char* const kCandidatesType = "coslice.Candidates";
const char* const kGroupType = "coslice.Group";
const char* const kGroupsType = "coslice.Groups";

namespace {

/// What Lua holds. Handles are checked at each call, so by a mark and not by Lua's search for the type's name: no other
/// userdata has this size and begins with such a number.
struct Handle {
  std::uint64_t mark;
  std::uint64_t hook;
  std::size_t index;
};

/// A different number for each type.
std::uint64_t mark_of(const char* type) {
  return 0xc05110ce00000000U + (type == kCandidatesType ? 1U : type == kGroupType ? 2U : 3U);
}

const Handle& check_handle(lua_State* L, const GroupContext& context, int index, const char* type) {
  const auto* h = static_cast<const Handle*>(lua_touserdata(L, index));
  if (h == nullptr || lua_islightuserdata(L, index) || lua_rawlen(L, index) != sizeof(Handle) ||
      h->mark != mark_of(type))
    luaL_typeerror(L, index, type);
  if (h->hook != context.number()) luaL_error(L, "candidates and groups are only valid inside the hook that made them");
  return *h;
}

void push_handle(lua_State* L, const GroupContext& d, std::size_t index, const char* type) {
  *static_cast<Handle*>(lua_newuserdatauv(L, sizeof(Handle), 0)) = {mark_of(type), d.number(), index};
  luaL_setmetatable(L, type);
}

}  // namespace

GroupContext& context_of(lua_State* L) {
  ViewObject* const shown = *static_cast<ViewObject**>(lua_touserdata(L, lua_upvalueindex(1)));
  GroupContext* const context = shown == nullptr ? nullptr : shown->groups();
  if (context == nullptr) luaL_error(L, "candidates and groups are only valid inside the hook that made them");
  return *context;
}

Candidates& check_list(lua_State* L, GroupContext& d, int index) {
  return d.lists[check_handle(L, d, index, kCandidatesType).index];
}
GroupPlan& check_plan(lua_State* L, GroupContext& d, int index) {
  return d.plans[check_handle(L, d, index, kGroupType).index];
}

int push_list(lua_State* L, GroupContext& d, Candidates list) {
  luahost::charge(L, std::ssize(list) + 1);
  d.lists.push_back(std::move(list));
  push_handle(L, d, d.lists.size() - 1, kCandidatesType);
  return 1;
}

int push_plan(lua_State* L, GroupContext& d, GroupPlan plan) {
  luahost::charge(L, std::ssize(plan.matched) + 1);
  d.plans.push_back(std::move(plan));
  push_handle(L, d, d.plans.size() - 1, kGroupType);
  return 1;
}

int push_set(lua_State* L, GroupContext& d, std::vector<std::size_t> plans) {
  d.sets.push_back(std::move(plans));
  push_handle(L, d, d.sets.size() - 1, kGroupsType);
  return 1;
}

int push_plans(lua_State* L, GroupContext& d, std::vector<GroupPlan> plans) {
  std::vector<std::size_t> set;
  std::int64_t jobs = 1;
  for (GroupPlan& p : plans) {
    jobs += std::ssize(p.matched);
    set.push_back(d.plans.size());
    d.plans.push_back(std::move(p));
  }
  luahost::charge(L, jobs);
  return push_set(L, d, std::move(set));
}

std::vector<std::size_t>& check_set(lua_State* L, GroupContext& d, int index) {
  return d.sets[check_handle(L, d, index, kGroupsType).index];
}

void push_plan_at(lua_State* L, GroupContext& d, std::size_t index) { push_handle(L, d, index, kGroupType); }

void push_job(lua_State* L, const GroupContext& d, JobIndex j) { d.view_object().jobs().push(L, j); }

Tolerance tolerance_option(lua_State* L, int table, const char* of) {
  Tolerance t;
  options::read(L, table, of, {"max_slowdown", "total", "exceed", "longer"}, [&](const options::Option& o) {
    if (o.is("max_slowdown")) t.max_slowdown = o.number();
    else if (o.is("total")) t.total = o.flag();
    else if (o.is("exceed")) t.exceed = o.number();
    else t.longer = o.number();
  });
  return t;
}

FairnessOptions fairness_option(lua_State* L, int table, const char* of) {
  FairnessOptions f;
  options::read(L, table, of, {"slack", "expected", "predicted", "members"}, [&](const options::Option& o) {
    if (o.is("slack")) f.slack = o.number();
    else if (o.is("expected")) f.expected = o.number();
    else if (o.is("predicted")) f.predicted = o.number();
    else f.members = o.flag();
  });
  return f;
}

Candidate candidate_of(lua_State* L, GroupContext& d, int index) {
  const JobIndex j = d.view_object().jobs().index_of(L, index);
  const View& view = d.view_object().view(L);
  if (view.waits(j)) return waiting_candidate(view, j);
  for (const StartedJob& s : view.started())
    if (s.index == j) return running_candidate(view, s);
  d.view_object().waiting_position(L, index);  // complains if it does not wait
  return waiting_candidate(view, j);
}

void build_type(lua_State* L, GroupContext& context, const char* type, const luaL_Reg* methods, lua_CFunction index,
                lua_CFunction length) {
  void* const place = context.view_object().place();
  luaL_newmetatable(L, type);
  if (index != nullptr) lua_pushlightuserdata(L, place);
  lua_newtable(L);
  set_methods(L, methods, context);
  if (index != nullptr) lua_pushcclosure(L, index, 2);
  lua_setfield(L, -2, "__index");
  if (length != nullptr) {
    lua_pushlightuserdata(L, place);
    lua_pushcclosure(L, length, 1);
    lua_setfield(L, -2, "__len");
  }
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}

void set_methods(lua_State* L, const luaL_Reg* methods, GroupContext& context) {
  lua_pushlightuserdata(L, context.view_object().place());
  luaL_setfuncs(L, methods, 1);
}

}  // namespace coslice::groups

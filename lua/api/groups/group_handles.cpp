#include "api/groups/group_handles.h"

#include "api/scripts/options.h"

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
  if (h->hook != context.number())
    luahost::raise(L, "candidates and groups are only valid inside the hook that made them");
  return *h;
}

void push_handle(lua_State* L, const GroupContext& d, std::size_t index, const char* type) {
  *static_cast<Handle*>(lua_newuserdatauv(L, sizeof(Handle), 0)) = {mark_of(type), d.number(), index};
  luaL_setmetatable(L, type);
}

Candidate candidate_of(lua_State* L, const GroupCall& call, int index) {
  const JobIndex j = AnyJob(L, call, index);
  if (call.view.waits(j)) return waiting_candidate(call.view, j);
  for (const StartedJob& s : call.view.started())
    if (s.index == j) return running_candidate(call.view, s);
  call.object.waiting_position(L, index);  // complains if it does not wait
  return waiting_candidate(call.view, j);
}

}  // namespace

GroupContext& context_of(lua_State* L) {
  ViewObject* const shown = *static_cast<ViewObject**>(lua_touserdata(L, lua_upvalueindex(1)));
  GroupContext* const context = shown == nullptr ? nullptr : shown->groups();
  if (context == nullptr) luahost::raise(L, "candidates and groups are only valid inside the hook that made them");
  return *context;
}

Candidates& check_list(lua_State* L, GroupContext& d, int index) {
  return d.lists[check_handle(L, d, index, kCandidatesType).index];
}
GroupPlan& check_plan(lua_State* L, GroupContext& d, int index) {
  return d.plans[check_handle(L, d, index, kGroupType).index];
}
std::vector<std::size_t>& check_set(lua_State* L, GroupContext& d, int index) {
  return d.sets[check_handle(L, d, index, kGroupsType).index];
}

void List::push(lua_State* L, const GroupCall& call) {
  call.charge(std::ssize(candidates) + 1);
  call.d.lists.push_back(std::move(candidates));
  push_handle(L, call.d, call.d.lists.size() - 1, kCandidatesType);
}

void Plan::push(lua_State* L, const GroupCall& call) {
  call.charge(std::ssize(plan.matched) + 1);
  call.d.plans.push_back(std::move(plan));
  push_handle(L, call.d, call.d.plans.size() - 1, kGroupType);
}

void PlanSet::push(lua_State* L, const GroupCall& call) {
  call.d.sets.push_back(std::move(plans));
  push_handle(L, call.d, call.d.sets.size() - 1, kGroupsType);
}

void Plans::push(lua_State* L, const GroupCall& call) {
  PlanSet set;
  std::int64_t jobs = 1;
  for (GroupPlan& p : plans) {
    jobs += std::ssize(p.matched);
    set.plans.push_back(call.d.plans.size());
    call.d.plans.push_back(std::move(p));
  }
  call.charge(jobs);
  set.push(L, call);
}

void KnownPlan::push(lua_State* L, const GroupCall& call) const { push_handle(L, call.d, index, kGroupType); }

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

JobCandidate::JobCandidate(lua_State* L, const GroupCall& call, int index) : Candidate(candidate_of(L, call, index)) {}

void build_type(lua_State* L, GroupContext& context, const char* type, std::initializer_list<luaL_Reg> methods,
                lua_CFunction index, lua_CFunction length) {
  void* const place = context.view_object().place();
  luaL_newmetatable(L, type);
  if (index != nullptr) lua_pushlightuserdata(L, place);
  lua_newtable(L);
  set_methods(L, methods, context);
  if (index != nullptr) lua_pushcclosure(L, index, 2);
  lua_setfield(L, -2, "__index");
  if (length != nullptr) set_methods(L, {{"__len", length}}, context);
  luahost::set_field(L, "__metatable", false);
  lua_pop(L, 1);
}

void set_methods(lua_State* L, std::initializer_list<luaL_Reg> methods, GroupContext& context) {
  lua_pushlightuserdata(L, context.view_object().place());
  luahost::set_functions(L, methods, 1);
}

}  // namespace coslice::groups

// Sets of groups as Lua objects.
#include <algorithm>

#include "api/groups/group_handles.h"
#include "api/jobs/job_tables.h"
#include "api/jobs/known_fields.h"
#include "api/view/view_object.h"
#include "host/guard.h"

namespace coslice::groups {

namespace {

/// groups[i], from 1, or a method.
int at(lua_State* L, GroupContext& d) {
  const std::vector<std::size_t>& set = check_set(L, d, 1);
  if (lua_isinteger(L, 2) == 0) {
    lua_settop(L, 2);
    if (lua_rawget(L, lua_upvalueindex(2)) == LUA_TFUNCTION) return 1;
    raise_unknown_field(L, "groups have no method and", luaL_checkstring(L, 2), text_keys(L, lua_upvalueindex(2)));
  }
  const lua_Integer i = lua_tointeger(L, 2);
  if (i < 1 || static_cast<std::size_t>(i) > set.size()) return 0;
  push_plan_at(L, d, set[static_cast<std::size_t>(i) - 1]);
  return 1;
}

/// #groups -> integer
int length(lua_State* L, GroupContext& d) { return luahost::answer(L, check_set(L, d, 1).size()); }

/// groups:with(job) -> Groups
int with(lua_State* L, GroupContext& d) {
  const JobIndex j = d.view_object().jobs().index_of(L, 2);
  std::vector<std::size_t> kept;
  for (const std::size_t i : check_set(L, d, 1)) {
    const GroupPlan& p = d.plans[i];
    const auto same = [j](const Candidate& c) { return c.job == j; };
    if (p.primary.job == j || std::any_of(p.matched.begin(), p.matched.end(), same)) kept.push_back(i);
  }
  return push_set(L, d, std::move(kept));
}

/// groups:best() -> Group?
/// Among equal gains the first.
int best(lua_State* L, GroupContext& d) {
  const std::vector<std::size_t>& set = check_set(L, d, 1);
  if (set.empty()) return 0;
  const auto less = [&](std::size_t a, std::size_t b) { return d.plans[a].gain < d.plans[b].gain; };
  push_plan_at(L, d, *std::max_element(set.begin(), set.end(), less));
  return 1;
}

/// groups:purified() -> Groups
int purified(lua_State* L, GroupContext& d) {
  std::vector<std::size_t> pure = check_set(L, d, 1);
  for (std::size_t& i : pure) {
    if (d.plans[i].matched.size() < 2) continue;
    GroupPlan p = d.search.purified(d.plans[i]);
    if (p.matched.size() == d.plans[i].matched.size()) continue;
    i = d.plans.size();
    d.plans.push_back(std::move(p));
  }
  return push_set(L, d, std::move(pure));
}

/// Those of the set that gain at least that much.
std::vector<std::size_t> gaining_at_least(lua_State* L, GroupContext& d, double least) {
  std::vector<std::size_t> kept;
  const View& view = d.view_object().view(L);
  for (const std::size_t i : check_set(L, d, 1)) {
    if (d.plans[i].gain >= least) kept.push_back(i);
    else refuse_plan(view, d.plans[i], GroupRefusal::kLowGain);
  }
  return kept;
}

/// groups:gaining(least) -> Groups
int gaining(lua_State* L, GroupContext& d) { return push_set(L, d, gaining_at_least(L, d, luaL_checknumber(L, 2))); }

/// groups:by_gain(least?) -> Groups
int by_gain(lua_State* L, GroupContext& d) {
  std::vector<std::size_t> kept = gaining_at_least(L, d, luaL_optnumber(L, 2, -1));
  std::stable_sort(kept.begin(), kept.end(),
                   [&](std::size_t a, std::size_t b) { return d.plans[a].gain > d.plans[b].gain; });
  return push_set(L, d, std::move(kept));
}

/// groups:joined(others) -> Groups
int joined(lua_State* L, GroupContext& d) {
  std::vector<std::size_t> both = check_set(L, d, 1);
  const std::vector<std::size_t>& more = check_set(L, d, 2);
  both.insert(both.end(), more.begin(), more.end());
  return push_set(L, d, std::move(both));
}

}  // namespace

void build_groups_metatable(lua_State* L, GroupContext& context) {
  const luaL_Reg methods[] = {{"with", method<with>},
                              {"best", method<best>},
                              {"purified", method<purified>},
                              {"by_gain", method<by_gain>},
                              {"joined", method<joined>},
                              {"gaining", method<gaining>},
                              {nullptr, nullptr}};
  build_type(L, context, kGroupsType, methods, method<at>, method<length>);
}

}  // namespace coslice::groups

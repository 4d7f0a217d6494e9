// Sets of groups as Lua objects.
#include <algorithm>
#include <iterator>

#include "api/groups/group_handles.h"
#include "api/jobs/known_fields.h"

namespace coslice::groups {

namespace {

/// groups[i], from 1, or a method.
int at(lua_State* L) {
  const SetCall call(L);
  if (lua_isinteger(L, 2) == 0) {
    lua_settop(L, 2);
    if (lua_rawget(L, lua_upvalueindex(2)) == LUA_TFUNCTION) return 1;
    raise_unknown_field(L, "groups have no method and", luaL_checkstring(L, 2), text_keys(L, lua_upvalueindex(2)));
  }
  const lua_Integer i = lua_tointeger(L, 2);
  if (i < 1 || i > std::ssize(call.set)) return 0;
  KnownPlan{call.set[static_cast<std::size_t>(i) - 1]}.push(L, call);
  return 1;
}

/// #groups -> integer
std::size_t length(const SetCall& call) { return call.set.size(); }

/// groups:with(job) -> Groups
PlanSet with(const SetCall& call, AnyJob job) {
  PlanSet kept;
  std::ranges::copy_if(call.set, std::back_inserter(kept.plans),
                       [&](std::size_t i) { return call.d.plans[i].has(job); });
  return kept;
}

/// groups:best() -> Group?
/// Among equal gains the first.
std::optional<KnownPlan> best(const SetCall& call) {
  if (call.set.empty()) return {};
  const auto less = [&](std::size_t a, std::size_t b) { return call.d.plans[a].gain < call.d.plans[b].gain; };
  return KnownPlan{*std::ranges::max_element(call.set, less)};
}

/// groups:purified() -> Groups
PlanSet purified(const SetCall& call) {
  PlanSet pure{call.set};
  std::deque<GroupPlan>& plans = call.d.plans;
  for (std::size_t& i : pure.plans) {
    if (plans[i].matched.size() < 2) continue;
    GroupPlan p = call.d.search.purified(plans[i]);
    if (p.matched.size() == plans[i].matched.size()) continue;
    i = plans.size();
    plans.push_back(std::move(p));
  }
  return pure;
}

/// groups:gaining(least) -> Groups
/// Those of the set that gain at least that much.
PlanSet gaining(const SetCall& call, double least) {
  PlanSet kept;
  for (const std::size_t i : call.set) {
    if (call.d.plans[i].gain >= least) kept.plans.push_back(i);
    else refuse_plan(call.view, call.d.plans[i], GroupRefusal::kLowGain);
  }
  return kept;
}

/// groups:by_gain(least?) -> Groups
PlanSet by_gain(const SetCall& call, std::optional<double> least) {
  PlanSet kept = gaining(call, least.value_or(-1));
  std::ranges::stable_sort(kept.plans,
                           [&](std::size_t a, std::size_t b) { return call.d.plans[a].gain > call.d.plans[b].gain; });
  return kept;
}

/// groups:joined(others) -> Groups
PlanSet joined(const SetCall& call) {
  PlanSet both{call.set};
  const std::vector<std::size_t>& more = check_set(call.L, call.d, 2);
  both.plans.insert(both.plans.end(), more.begin(), more.end());
  return both;
}

}  // namespace

void build_groups_metatable(lua_State* L, GroupContext& context) {
  using luahost::bound;
  build_type(L, context, kGroupsType,
             {{"with", bound<with>},
              {"best", bound<best>},
              {"purified", bound<purified>},
              {"by_gain", bound<by_gain>},
              {"joined", bound<joined>},
              {"gaining", bound<gaining>}},
             luahost::guarded<at>, bound<length>);
}

}  // namespace coslice::groups

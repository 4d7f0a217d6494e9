// Lists of candidates as Lua objects.
#include <algorithm>
#include <cmath>

#include "api/groups/group_handles.h"
#include "api/jobs/job_tables.h"
#include "api/view/view_object.h"
#include "host/guard.h"

namespace coslice::groups {

namespace {

/// #candidates -> integer
int list_length(lua_State* L, GroupContext& d) { return luahost::answer(L, check_list(L, d, 1).size()); }

/// candidates:jobs(most?) -> Job[]
int list_jobs(lua_State* L, GroupContext& d) {
  const Candidates& list = check_list(L, d, 1);
  const std::size_t most =
      lua_isnoneornil(L, 2) ? list.size() : static_cast<std::size_t>(std::max<lua_Integer>(0, luaL_checkinteger(L, 2)));
  lua_newtable(L);
  for (std::size_t i = 0; i < list.size() && i < most; ++i) {
    push_job(L, d, list[i].job);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  return 1;
}

/// Calls the function at index 2 with each candidate's job; `use` gets the candidate, with the answer on the stack.
template <class F>
void ask_each(lua_State* L, GroupContext& d, const Candidates& list, F&& use) {
  luaL_checktype(L, 2, LUA_TFUNCTION);
  for (const Candidate& c : list) {
    lua_pushvalue(L, 2);
    push_job(L, d, c.job);
    lua_call(L, 1, 1);
    use(c);
    lua_pop(L, 1);
  }
}

/// candidates:where(keep) -> Candidates
int list_where(lua_State* L, GroupContext& d) {
  Candidates kept;
  ask_each(L, d, check_list(L, d, 1), [&](const Candidate& c) {
    if (lua_toboolean(L, -1) != 0) kept.push_back(c);
  });
  return push_list(L, d, std::move(kept));
}

/// candidates:by(key) -> Candidates
int list_by(lua_State* L, GroupContext& d) {
  std::vector<std::pair<double, Candidate>> keyed;
  ask_each(L, d, check_list(L, d, 1), [&](const Candidate& c) {
    int is_number = 0;
    const double key = lua_tonumberx(L, -1, &is_number);
    if (is_number == 0 || key != key) luaL_error(L, "the function must return a number to sort by");
    keyed.emplace_back(key, c);
  });
  std::stable_sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Candidates sorted;
  for (const auto& k : keyed) sorted.push_back(k.second);
  return push_list(L, d, std::move(sorted));
}

/// candidates:parallel() -> Candidates
int list_parallel(lua_State* L, GroupContext& d) {
  Candidates kept;
  for (const Candidate& c : check_list(L, d, 1))
    if (c.processes > 1) kept.push_back(c);
  return push_list(L, d, std::move(kept));
}

/// candidates:serial() -> Candidates
int list_serial(lua_State* L, GroupContext& d) {
  Candidates kept;
  for (const Candidate& c : check_list(L, d, 1))
    if (c.processes == 1) kept.push_back(c);
  return push_list(L, d, std::move(kept));
}

/// candidates:fitting(nodes) -> Candidates
int list_fitting(lua_State* L, GroupContext& d) {
  const lua_Integer nodes = luaL_checkinteger(L, 2);
  Candidates kept;
  for (const Candidate& c : check_list(L, d, 1))
    if (c.nodes <= nodes) kept.push_back(c);
  return push_list(L, d, std::move(kept));
}

/// candidates:first(most) -> Candidates
int list_first(lua_State* L, GroupContext& d) {
  const auto most = static_cast<std::size_t>(std::max<lua_Integer>(0, luaL_checkinteger(L, 2)));
  Candidates kept = check_list(L, d, 1);
  if (kept.size() > most) kept.resize(most);
  return push_list(L, d, std::move(kept));
}

/// candidates:bearing(job, limits?) -> Candidates
/// Those that could be the primary of the job.
int list_bearing(lua_State* L, GroupContext& d) {
  const Candidate other = candidate_of(L, d, 2);
  const Tolerance t = tolerance_option(L, 3, "candidates:bearing");
  Candidates kept;
  for (const Candidate& primary : check_list(L, d, 1))
    if (!d.search.tolerating(primary, {other}, t).empty()) kept.push_back(primary);
  return push_list(L, d, std::move(kept));
}

/// candidates:without(job) -> Candidates
int list_without(lua_State* L, GroupContext& d) {
  const JobIndex j = d.view_object().jobs().index_of(L, 2);
  Candidates kept;
  for (const Candidate& c : check_list(L, d, 1))
    if (c.job != j) kept.push_back(c);
  return push_list(L, d, std::move(kept));
}

/// candidates:leading(job) -> Candidates
/// The same list with that job first.
int list_leading(lua_State* L, GroupContext& d) {
  const JobIndex j = d.view_object().jobs().index_of(L, 2);
  Candidates list = check_list(L, d, 1);
  std::stable_partition(list.begin(), list.end(), [j](const Candidate& c) { return c.job == j; });
  return push_list(L, d, std::move(list));
}

/// candidates:contains(job) -> boolean
int list_contains(lua_State* L, GroupContext& d) {
  const JobIndex j = d.view_object().jobs().index_of(L, 2);
  const Candidates& list = check_list(L, d, 1);
  lua_pushboolean(L, std::any_of(list.begin(), list.end(), [j](const Candidate& c) { return c.job == j; }) ? 1 : 0);
  return 1;
}

/// candidates:tolerating(primary, limits?) -> Candidates
int list_tolerating(lua_State* L, GroupContext& d) {
  const Candidate primary = candidate_of(L, d, 2);
  Candidates kept = d.search.tolerating(primary, check_list(L, d, 1), tolerance_option(L, 3, "candidates:tolerating"));
  d.view_object().view(L).count_attempt(kept.size());
  return push_list(L, d, std::move(kept));
}

/// candidates:tolerating_one(primary, limits?, job) -> Candidates
/// That job alone, if it is one of those that tolerate the primary and that it tolerates. Counts as a search for all of
/// them, of which no more are looked for than make a difference to what is counted.
int list_tolerating_one(lua_State* L, GroupContext& d) {
  const Candidate primary = candidate_of(L, d, 2);
  const Tolerance t = tolerance_option(L, 3, "candidates:tolerating_one");
  const JobIndex j = d.view_object().jobs().index_of(L, 4);
  const Candidates& list = check_list(L, d, 1);
  std::size_t count = 0;
  for (auto c = list.begin(); c != list.end() && count < SharingCounts::kFewCandidates; ++c)
    count += d.search.tolerated(primary, *c, t).has_value();
  d.view_object().view(L).count_attempt(count);
  Candidates kept;
  const auto found = std::find_if(list.begin(), list.end(), [j](const Candidate& c) { return c.job == j; });
  if (found != list.end()) kept = d.search.tolerating(primary, {*found}, t);
  return push_list(L, d, std::move(kept));
}

/// candidates:pairs(primary) -> Groups
/// Each candidate alone over the primary.
int list_pairs(lua_State* L, GroupContext& d) {
  const Candidate primary = candidate_of(L, d, 2);
  std::vector<GroupPlan> plans;
  for (const Candidate& c : check_list(L, d, 1)) plans.push_back(d.search.plan(primary, {c}));
  return push_plans(L, d, std::move(plans));
}

/// candidates:blocks(size, order?) -> Candidates[]
int list_blocks(lua_State* L, GroupContext& d) {
  const lua_Integer size = luaL_checkinteger(L, 2);
  if (size < 1) return luaL_argerror(L, 2, "blocks have one candidate at least");
  static const char* const orders[] = {"given", "longest", nullptr};
  const bool sorted = luaL_checkoption(L, 3, "given", orders) == 1;
  lua_newtable(L);
  lua_Integer n = 0;
  for (Candidates& block : GroupSearch::blocks(check_list(L, d, 1), static_cast<std::size_t>(size), sorted)) {
    push_list(L, d, std::move(block));
    lua_rawseti(L, -2, ++n);
  }
  return 1;
}

/// candidates:windows(primary, exceed) -> Groups
int list_windows(lua_State* L, GroupContext& d) {
  const Candidate primary = candidate_of(L, d, 2);
  return push_plans(L, d, d.search.windows(primary, check_list(L, d, 1), luaL_checknumber(L, 3)));
}

/// candidates:best_of_all(primary, exceed, most?, least?) -> Group?
int list_best_of_all(lua_State* L, GroupContext& d) {
  const Candidate primary = candidate_of(L, d, 2);
  const auto most = static_cast<std::size_t>(std::max<lua_Integer>(0, luaL_optinteger(L, 4, 64)));
  GroupPlan best = d.search.best_of_all(primary, check_list(L, d, 1), luaL_checknumber(L, 3), most);
  if (best.matched.empty()) return 0;
  if (best.gain < luaL_optnumber(L, 5, -HUGE_VAL)) {
    refuse_plan(d.view_object().view(L), best, GroupRefusal::kLowGain);
    return 0;
  }
  return push_plan(L, d, std::move(best));
}

/// candidates:group(primary) -> Group?
/// The plan of these jobs, as they stand in the list, over a primary one.
int list_group(lua_State* L, GroupContext& d) {
  const Candidate primary = candidate_of(L, d, 2);
  const Candidates& list = check_list(L, d, 1);
  if (list.empty()) return 0;
  return push_plan(L, d, d.search.plan(primary, list));
}

}  // namespace

void build_candidates_metatable(lua_State* L, GroupContext& context) {
  const luaL_Reg list_methods[] = {{"jobs", method<list_jobs>},
                                   {"where", method<list_where>},
                                   {"by", method<list_by>},
                                   {"parallel", method<list_parallel>},
                                   {"serial", method<list_serial>},
                                   {"without", method<list_without>},
                                   {"first", method<list_first>},
                                   {"bearing", method<list_bearing>},
                                   {"fitting", method<list_fitting>},
                                   {"contains", method<list_contains>},
                                   {"leading", method<list_leading>},
                                   {"tolerating", method<list_tolerating>},
                                   {"tolerating_one", method<list_tolerating_one>},
                                   {"blocks", method<list_blocks>},
                                   {"windows", method<list_windows>},
                                   {"pairs", method<list_pairs>},
                                   {"group", method<list_group>},
                                   {"best_of_all", method<list_best_of_all>},
                                   {nullptr, nullptr}};
  build_type(L, context, kCandidatesType, list_methods, nullptr, method<list_length>);
}

}  // namespace coslice::groups

#include "api/group_object.h"

#include <algorithm>
#include <cstring>
#include <lua.hpp>

#include "api/job_tables.h"
#include "api/view_object.h"
#include "host/guard.h"

namespace coslice {

namespace {

const char* const kCandidatesType = "coslice.Candidates";
const char* const kGroupType = "coslice.Group";

/// What Lua holds.
struct Handle {
  std::uint64_t hook;
  std::size_t index;
};

GroupDesk& desk_of(lua_State* L) { return *static_cast<GroupDesk*>(lua_touserdata(L, lua_upvalueindex(1))); }

const Handle& check_handle(lua_State* L, const GroupDesk& desk, int index, const char* type) {
  const auto& h = *static_cast<const Handle*>(luaL_checkudata(L, index, type));
  if (h.hook != desk.number()) luaL_error(L, "candidates and groups are only valid inside the hook that made them");
  return h;
}

Candidates& check_list(lua_State* L, GroupDesk& d, int index) {
  return d.lists[check_handle(L, d, index, kCandidatesType).index];
}
GroupPlan& check_plan(lua_State* L, GroupDesk& d, int index) {
  return d.plans[check_handle(L, d, index, kGroupType).index];
}

void push_handle(lua_State* L, const GroupDesk& d, std::size_t index, const char* type) {
  *static_cast<Handle*>(lua_newuserdatauv(L, sizeof(Handle), 0)) = {d.number(), index};
  luaL_setmetatable(L, type);
}

int push_list(lua_State* L, GroupDesk& d, Candidates list) {
  luahost::charge(L, static_cast<std::int64_t>(list.size()) + 1);
  d.lists.push_back(std::move(list));
  push_handle(L, d, d.lists.size() - 1, kCandidatesType);
  return 1;
}

int push_plan(lua_State* L, GroupDesk& d, GroupPlan plan) {
  luahost::charge(L, static_cast<std::int64_t>(plan.matched.size()) + 1);
  d.plans.push_back(std::move(plan));
  push_handle(L, d, d.plans.size() - 1, kGroupType);
  return 1;
}

int push_plans(lua_State* L, GroupDesk& d, std::vector<GroupPlan> plans) {
  lua_createtable(L, static_cast<int>(plans.size()), 0);
  lua_Integer n = 0;
  for (GroupPlan& p : plans) {
    push_plan(L, d, std::move(p));
    lua_rawseti(L, -2, ++n);
  }
  return 1;
}

void push_job(lua_State* L, const GroupDesk& d, JobIndex j) { d.view_object().jobs().push(L, j); }

// --- options

double number_option(lua_State* L, int table, const char* name, double fallback) {
  if (lua_getfield(L, table, name) == LUA_TNIL) {
    lua_pop(L, 1);
    return fallback;
  }
  int is_number = 0;
  const double x = lua_tonumberx(L, -1, &is_number);
  lua_pop(L, 1);
  if (is_number == 0 || !(x == x)) luaL_error(L, "option '%s' must be a number", name);
  return x;
}

bool flag_option(lua_State* L, int table, const char* name, bool fallback) {
  if (lua_getfield(L, table, name) == LUA_TNIL) {
    lua_pop(L, 1);
    return fallback;
  }
  if (!lua_isboolean(L, -1)) luaL_error(L, "option '%s' must be true or false", name);
  const bool b = lua_toboolean(L, -1) != 0;
  lua_pop(L, 1);
  return b;
}

/// Options are a table, or absent; a name that is not known is a mistake.
bool has_options(lua_State* L, int table, std::initializer_list<const char*> names) {
  if (lua_isnoneornil(L, table)) return false;
  luaL_checktype(L, table, LUA_TTABLE);
  lua_pushnil(L);
  while (lua_next(L, table) != 0) {
    bool known = false;
    if (lua_type(L, -2) == LUA_TSTRING)
      for (const char* n : names) known = known || std::strcmp(n, lua_tostring(L, -2)) == 0;
    if (!known) luaL_error(L, "unknown option '%s'", luaL_tolstring(L, -2, nullptr));
    lua_pop(L, 1);
  }
  return true;
}

Tolerance tolerance_option(lua_State* L, int table) {
  Tolerance t;
  if (!has_options(L, table, {"max_slowdown", "total", "exceed", "longer"})) return t;
  t.max_slowdown = number_option(L, table, "max_slowdown", t.max_slowdown);
  t.total = flag_option(L, table, "total", t.total);
  t.exceed = number_option(L, table, "exceed", t.exceed);
  t.longer = number_option(L, table, "longer", t.longer);
  return t;
}

FairnessOptions fairness_option(lua_State* L, int table) {
  FairnessOptions o;
  if (!has_options(L, table, {"slack", "expected", "predicted", "members"})) return o;
  o.slack = number_option(L, table, "slack", o.slack);
  o.expected = number_option(L, table, "expected", o.expected);
  o.predicted = number_option(L, table, "predicted", o.predicted);
  o.members = flag_option(L, table, "members", o.members);
  return o;
}

// --- candidates

Candidate waiting_candidate(const View& view, JobIndex j) {
  Candidate c;
  c.job = j;
  c.ppn = view.host().shared_ppn(j);
  const Job& job = view.job(j);
  c.processes = job.size;
  c.nodes = (job.size + c.ppn - 1) / c.ppn;
  c.runtime = c.work = to_seconds(job.limit);
  return c;
}

Candidate running_candidate(const View& view, const StartedJob& s) {
  Candidate c;
  c.job = s.index;
  c.running = true;
  c.ppn = s.ppn;
  const Job& job = view.job(s.index);
  c.processes = job.size;
  c.nodes = s.node_count;
  c.runtime = to_seconds(job.limit);
  Work left = s.planned_left;
  if (s.phase == Phase::kRunning) left -= Work::done(view.host().wall_now() - s.since, s.rate);
  c.work = left.seconds();
  return c;
}

Candidate candidate_of(lua_State* L, GroupDesk& d, int index) {
  const JobIndex j = JobTables::index_of(L, index);
  const View& view = d.view_object().view(L);
  for (const StartedJob& s : view.started())
    if (s.index == j) return running_candidate(view, s);
  d.view_object().waiting_position(L, index);  // complains if it does not wait
  return waiting_candidate(view, j);
}

int waiting_candidates(lua_State* L) {
  GroupDesk& d = desk_of(L);
  const View& view = d.view_object().view(L);
  Candidates list;
  const WaitingQueue& queue = view.queue();
  for (auto p = queue.first(); p < queue.end(); p = queue.next(p)) list.push_back(waiting_candidate(view, queue.job(p)));
  return push_list(L, d, std::move(list));
}

int running_candidates(lua_State* L) {
  GroupDesk& d = desk_of(L);
  const View& view = d.view_object().view(L);
  std::vector<std::pair<double, const StartedJob*>> order;
  for (const StartedJob& s : view.started())
    if (s.group == nullptr) order.emplace_back(d.fairness.delay(view, s, {}), &s);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Candidates list;
  for (const auto& o : order) list.push_back(running_candidate(view, *o.second));
  return push_list(L, d, std::move(list));
}

int list_length(lua_State* L) {
  lua_pushinteger(L, static_cast<lua_Integer>(check_list(L, desk_of(L), 1).size()));
  return 1;
}

int list_jobs(lua_State* L) {
  GroupDesk& d = desk_of(L);
  const Candidates& list = check_list(L, d, 1);
  const std::size_t most = lua_isnoneornil(L, 2) ? list.size() : static_cast<std::size_t>(std::max<lua_Integer>(0, luaL_checkinteger(L, 2)));
  lua_newtable(L);
  for (std::size_t i = 0; i < list.size() && i < most; ++i) {
    push_job(L, d, list[i].job);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  return 1;
}

/// Calls the function at index 2 with each candidate's job; `use` gets the candidate, with the answer on the stack.
template <class F>
void ask_each(lua_State* L, GroupDesk& d, const Candidates& list, F&& use) {
  luaL_checktype(L, 2, LUA_TFUNCTION);
  for (const Candidate& c : list) {
    lua_pushvalue(L, 2);
    push_job(L, d, c.job);
    lua_call(L, 1, 1);
    use(c);
    lua_pop(L, 1);
  }
}

int list_where(lua_State* L) {
  GroupDesk& d = desk_of(L);
  Candidates kept;
  ask_each(L, d, check_list(L, d, 1), [&](const Candidate& c) {
    if (lua_toboolean(L, -1) != 0) kept.push_back(c);
  });
  return push_list(L, d, std::move(kept));
}

int list_by(lua_State* L) {
  GroupDesk& d = desk_of(L);
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

int list_parallel(lua_State* L) {
  GroupDesk& d = desk_of(L);
  Candidates kept;
  for (const Candidate& c : check_list(L, d, 1))
    if (c.processes > 1) kept.push_back(c);
  return push_list(L, d, std::move(kept));
}

int list_serial(lua_State* L) {
  GroupDesk& d = desk_of(L);
  Candidates kept;
  for (const Candidate& c : check_list(L, d, 1))
    if (c.processes == 1) kept.push_back(c);
  return push_list(L, d, std::move(kept));
}

int list_without(lua_State* L) {
  GroupDesk& d = desk_of(L);
  const JobIndex j = JobTables::index_of(L, 2);
  Candidates kept;
  for (const Candidate& c : check_list(L, d, 1))
    if (c.job != j) kept.push_back(c);
  return push_list(L, d, std::move(kept));
}

/// The same list with that job first.
int list_leading(lua_State* L) {
  GroupDesk& d = desk_of(L);
  const JobIndex j = JobTables::index_of(L, 2);
  Candidates list = check_list(L, d, 1);
  std::stable_partition(list.begin(), list.end(), [j](const Candidate& c) { return c.job == j; });
  return push_list(L, d, std::move(list));
}

int list_contains(lua_State* L) {
  GroupDesk& d = desk_of(L);
  const JobIndex j = JobTables::index_of(L, 2);
  const Candidates& list = check_list(L, d, 1);
  lua_pushboolean(L, std::any_of(list.begin(), list.end(), [j](const Candidate& c) { return c.job == j; }) ? 1 : 0);
  return 1;
}

int list_tolerating(lua_State* L) {
  GroupDesk& d = desk_of(L);
  const Candidate primary = candidate_of(L, d, 2);
  return push_list(L, d, d.search.tolerating(primary, check_list(L, d, 1), tolerance_option(L, 3)));
}

int list_blocks(lua_State* L) {
  GroupDesk& d = desk_of(L);
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

int list_windows(lua_State* L) {
  GroupDesk& d = desk_of(L);
  const Candidate primary = candidate_of(L, d, 2);
  return push_plans(L, d, d.search.windows(primary, check_list(L, d, 1), luaL_checknumber(L, 3)));
}

int list_best_of_all(lua_State* L) {
  GroupDesk& d = desk_of(L);
  const Candidate primary = candidate_of(L, d, 2);
  const auto most = static_cast<std::size_t>(std::max<lua_Integer>(0, luaL_optinteger(L, 4, 64)));
  GroupPlan best = d.search.best_of_all(primary, check_list(L, d, 1), luaL_checknumber(L, 3), most);
  if (best.matched.empty()) return 0;
  return push_plan(L, d, std::move(best));
}

/// The plan of these jobs, as they stand in the list, over a primary one.
int list_group(lua_State* L) {
  GroupDesk& d = desk_of(L);
  const Candidate primary = candidate_of(L, d, 2);
  const Candidates& list = check_list(L, d, 1);
  if (list.empty()) return 0;
  return push_plan(L, d, d.search.plan(primary, list));
}

// --- groups

int plan_index(lua_State* L) {
  GroupDesk& d = desk_of(L);
  const char* name = luaL_checkstring(L, 2);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) == LUA_TFUNCTION) return 1;
  const GroupPlan& p = check_plan(L, d, 1);
  const auto is = [&](const char* field) { return std::strcmp(name, field) == 0; };
  if (is("gain")) lua_pushnumber(L, p.gain);
  else if (is("nodes")) lua_pushinteger(L, p.nodes);
  else if (is("fresh")) lua_pushinteger(L, p.fresh);
  else if (is("size")) lua_pushinteger(L, static_cast<lua_Integer>(p.matched.size()) + 1);
  else if (is("primary")) push_job(L, d, p.primary.job);
  else return luaL_error(L, "a group has no field or method '%s'", name);
  return 1;
}

int plan_matched(lua_State* L) {
  GroupDesk& d = desk_of(L);
  const GroupPlan& p = check_plan(L, d, 1);
  lua_newtable(L);
  lua_Integer n = 0;
  for (const Candidate& c : p.matched) {
    push_job(L, d, c.job);
    lua_rawseti(L, -2, ++n);
  }
  return 1;
}

int plan_contains(lua_State* L) {
  GroupDesk& d = desk_of(L);
  const JobIndex j = JobTables::index_of(L, 2);
  const GroupPlan& p = check_plan(L, d, 1);
  const bool in = p.primary.job == j ||
                  std::any_of(p.matched.begin(), p.matched.end(), [j](const Candidate& c) { return c.job == j; });
  lua_pushboolean(L, in ? 1 : 0);
  return 1;
}

int plan_extended(lua_State* L) {
  GroupDesk& d = desk_of(L);
  return push_plans(L, d, d.search.extended(check_plan(L, d, 1), check_list(L, d, 2), luaL_checknumber(L, 3)));
}

int plan_purified(lua_State* L) {
  GroupDesk& d = desk_of(L);
  return push_plan(L, d, d.search.purified(check_plan(L, d, 1)));
}

int plan_periods(lua_State* L) {
  GroupDesk& d = desk_of(L);
  const GroupPlan& p = check_plan(L, d, 1);
  std::vector<GainMember> members;
  for (const Candidate& c : p.matched) members.push_back(c.beside);
  const GainTimeline g = gain_timeline(p.primary.processes, p.primary.work, members, p.nodes);
  lua_newtable(L);
  lua_Integer n = 0;
  for (const GainPeriod& period : g.periods) {
    lua_createtable(L, 0, 3);
    lua_pushnumber(L, period.time);
    lua_setfield(L, -2, "time");
    lua_pushnumber(L, period.slowdown);
    lua_setfield(L, -2, "slowdown");
    lua_createtable(L, static_cast<int>(period.members.size()), 0);
    lua_Integer m = 0;
    for (const std::size_t i : period.members) {
      push_job(L, d, p.matched[i].job);
      lua_rawseti(L, -2, ++m);
    }
    lua_setfield(L, -2, "matched");
    lua_rawseti(L, -2, ++n);
  }
  return 1;
}

// --- the view

int expect(lua_State* L) {
  GroupDesk& d = desk_of(L);
  d.view_object().waiting_position(L, 2);
  lua_pushnumber(L, to_seconds(d.fairness.expect(d.view_object().view(L), JobTables::index_of(L, 2))));
  return 1;
}

int fair(lua_State* L) {
  GroupDesk& d = desk_of(L);
  const View& view = d.view_object().view(L);
  luahost::charge(L, static_cast<std::int64_t>(view.queue().size()));
  lua_pushboolean(L, d.fairness.fair(view, d.search, check_plan(L, d, 2), fairness_option(L, 3)) ? 1 : 0);
  return 1;
}

bool can_start(const View& view, const GroupPlan& p) { return p.fresh <= view.ceiling(); }

int can_start_group(lua_State* L) {
  GroupDesk& d = desk_of(L);
  lua_pushboolean(L, can_start(d.view_object().view(L), check_plan(L, d, 2)) ? 1 : 0);
  return 1;
}

int fits_group(lua_State* L) {
  GroupDesk& d = desk_of(L);
  const View& view = d.view_object().view(L);
  const GroupPlan& p = check_plan(L, d, 2);
  lua_pushboolean(L, can_start(view, p) && fits_beside_reservations(view, d.search, p) ? 1 : 0);
  return 1;
}

int start_group(lua_State* L) {
  GroupDesk& d = desk_of(L);
  d.view_object().check_decides(L);
  View& view = d.view_object().view(L);
  const GroupPlan p = check_plan(L, d, 2);
  if (!can_start(view, p)) {
    return luaL_error(L, "the group cannot start now: it needs %d more nodes, %d are idle", static_cast<int>(p.fresh),
                      static_cast<int>(view.ceiling()));
  }
  std::vector<JobIndex> matched;
  for (const Candidate& c : p.matched) matched.push_back(c.job);
  view.start_group(p.primary.job, matched, p.gain, StartReason::kPolicy);
  return 0;
}

void set_methods(lua_State* L, const luaL_Reg* methods, GroupDesk& desk) {
  lua_pushlightuserdata(L, &desk);
  luaL_setfuncs(L, methods, 1);
}

}  // namespace

void GroupDesk::clear() {
  lists.clear();
  plans.clear();
  ++number_;
}

void build_group_metatables(lua_State* L, GroupDesk& desk) {
  using luahost::guarded;
  const luaL_Reg list_methods[] = {{"jobs", guarded<list_jobs>},           {"where", guarded<list_where>},
                                   {"by", guarded<list_by>},               {"parallel", guarded<list_parallel>},
                                   {"serial", guarded<list_serial>},       {"without", guarded<list_without>},
                                   {"contains", guarded<list_contains>},   {"leading", guarded<list_leading>},
                                   {"tolerating", guarded<list_tolerating>},
                                   {"blocks", guarded<list_blocks>},       {"windows", guarded<list_windows>},
                                   {"group", guarded<list_group>},         {"best_of_all", guarded<list_best_of_all>},
                                   {nullptr, nullptr}};
  const luaL_Reg plan_methods[] = {{"matched", guarded<plan_matched>},   {"contains", guarded<plan_contains>},
                                   {"extended", guarded<plan_extended>}, {"purified", guarded<plan_purified>},
                                   {"periods", guarded<plan_periods>},   {nullptr, nullptr}};
  luaL_newmetatable(L, kCandidatesType);
  lua_newtable(L);
  set_methods(L, list_methods, desk);
  lua_setfield(L, -2, "__index");
  lua_pushlightuserdata(L, &desk);
  lua_pushcclosure(L, guarded<list_length>, 1);
  lua_setfield(L, -2, "__len");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
  luaL_newmetatable(L, kGroupType);
  lua_pushlightuserdata(L, &desk);
  lua_newtable(L);
  set_methods(L, plan_methods, desk);
  lua_pushcclosure(L, guarded<plan_index>, 2);
  lua_setfield(L, -2, "__index");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}

void add_group_methods(lua_State* L, GroupDesk& desk) {
  using luahost::guarded;
  const luaL_Reg methods[] = {{"waiting_candidates", guarded<waiting_candidates>},
                              {"running_candidates", guarded<running_candidates>},
                              {"expect", guarded<expect>},
                              {"fair", guarded<fair>},
                              {"can_start_group", guarded<can_start_group>},
                              {"fits_group", guarded<fits_group>},
                              {"start_group", guarded<start_group>},
                              {nullptr, nullptr}};
  set_methods(L, methods, desk);
}

}  // namespace coslice

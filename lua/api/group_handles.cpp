#include "api/group_handles.h"

#include <cstring>
#include <initializer_list>

#include "api/job_tables.h"
#include "api/view_object.h"
#include "host/guard.h"

namespace coslice::groups {

const char* const kCandidatesType = "coslice.Candidates";
const char* const kGroupType = "coslice.Group";

namespace {

/// What Lua holds.
struct Handle {
  std::uint64_t hook;
  std::size_t index;
};

const Handle& check_handle(lua_State* L, const GroupDesk& desk, int index, const char* type) {
  const auto& h = *static_cast<const Handle*>(luaL_checkudata(L, index, type));
  if (h.hook != desk.number()) luaL_error(L, "candidates and groups are only valid inside the hook that made them");
  return h;
}

void push_handle(lua_State* L, const GroupDesk& d, std::size_t index, const char* type) {
  *static_cast<Handle*>(lua_newuserdatauv(L, sizeof(Handle), 0)) = {d.number(), index};
  luaL_setmetatable(L, type);
}

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

}  // namespace

GroupDesk& desk_of(lua_State* L) { return *static_cast<GroupDesk*>(lua_touserdata(L, lua_upvalueindex(1))); }

Candidates& check_list(lua_State* L, GroupDesk& d, int index) {
  return d.lists[check_handle(L, d, index, kCandidatesType).index];
}
GroupPlan& check_plan(lua_State* L, GroupDesk& d, int index) {
  return d.plans[check_handle(L, d, index, kGroupType).index];
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

void set_methods(lua_State* L, const luaL_Reg* methods, GroupDesk& desk) {
  lua_pushlightuserdata(L, &desk);
  luaL_setfuncs(L, methods, 1);
}

}  // namespace coslice::groups

#include "api/groups/group_object.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstring>
#include <lua.hpp>

#include "api/groups/group_handles.h"
#include "api/jobs/job_tables.h"
#include "api/jobs/job_values.h"
#include "api/jobs/known_fields.h"
#include "api/policy/params.h"
#include "api/view/view_object.h"
#include "host/guard.h"

namespace coslice {

using namespace groups;

namespace {

// --- groups

/// group.NAME: a field or a method of the group; an error for others.
int plan_index(lua_State* L) {
  GroupContext& d = context_of(L);
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
  else {
    std::vector<std::string> known = text_keys(L, lua_upvalueindex(2));
    known.insert(known.end(), {"gain", "nodes", "fresh", "size", "primary"});
    raise_unknown_field(L, "a group has no method and", name, known);
  }
  return 1;
}

/// group:matched() -> Job[]
int plan_matched(lua_State* L) {
  GroupContext& d = context_of(L);
  const GroupPlan& p = check_plan(L, d, 1);
  lua_newtable(L);
  lua_Integer n = 0;
  for (const Candidate& c : p.matched) {
    push_job(L, d, c.job);
    lua_rawseti(L, -2, ++n);
  }
  return 1;
}

/// group:contains(job) -> boolean
int plan_contains(lua_State* L) {
  GroupContext& d = context_of(L);
  const JobIndex j = d.view_object().jobs().index_of(L, 2);
  const GroupPlan& p = check_plan(L, d, 1);
  const bool in = p.primary.job == j ||
                  std::any_of(p.matched.begin(), p.matched.end(), [j](const Candidate& c) { return c.job == j; });
  lua_pushboolean(L, in ? 1 : 0);
  return 1;
}

/// group:extended(others, exceed) -> Groups
int plan_extended(lua_State* L) {
  GroupContext& d = context_of(L);
  return push_plans(L, d, d.search.extended(check_plan(L, d, 1), check_list(L, d, 2), luaL_checknumber(L, 3)));
}

/// group:purified() -> Group
int plan_purified(lua_State* L) {
  GroupContext& d = context_of(L);
  return push_plan(L, d, d.search.purified(check_plan(L, d, 1)));
}

/// group:periods() -> { time: number, slowdown: number, matched: Job[] }[]
int plan_periods(lua_State* L) {
  GroupContext& d = context_of(L);
  const GroupPlan& p = check_plan(L, d, 1);
  std::vector<GainMember> members;
  for (const Candidate& c : p.matched) members.push_back(c.beside);
  const GainTimeline g = gain_timeline(p.primary.work, members);
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

/// view:waiting_candidates() -> Candidates
int waiting_candidates(lua_State* L) {
  GroupContext& d = context_of(L);
  const View& view = d.view_object().view(L);
  Candidates list;
  const WaitingQueue& queue = view.queue();
  for (auto p = queue.first(); p < queue.end(); p = queue.next(p))
    list.push_back(waiting_candidate(view, queue.job(p)));
  return push_list(L, d, std::move(list));
}

/// view:running_candidates(options?) -> Candidates
int running_candidates(lua_State* L) {
  GroupContext& d = context_of(L);
  const View& view = d.view_object().view(L);
  const FairnessOptions options = fairness_option(L, 2, "view:running_candidates");
  std::vector<std::pair<double, const StartedJob*>> order;
  for (const StartedJob& s : view.started())
    if (view.may_be_joined(s)) order.emplace_back(d.fairness.delay(view, s, options), &s);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Candidates list;
  for (const auto& o : order) list.push_back(running_candidate(view, *o.second));
  return push_list(L, d, std::move(list));
}

/// view:expect(job, options?) -> number
int expect(lua_State* L) {
  GroupContext& d = context_of(L);
  d.view_object().waiting_position(L, 2);
  View& view = d.view_object().view(L);
  const JobIndex j = d.view_object().jobs().index_of(L, 2);
  const Duration response = d.fairness.expect(view, j);
  if (!lua_isnoneornil(L, 3)) view.bound_response(j, d.fairness.bound(j, fairness_option(L, 3, "view:expect")));
  lua_pushnumber(L, to_seconds(response));
  return 1;
}

/// Groups can be put together in ways in which no machine can run them.
void check_possible(lua_State* L, const GroupContext& d, const View& view, const GroupPlan& p) {
  const auto id = [&](const Candidate& c) { return static_cast<LUAI_UACINT>(view.job(c.job).id); };
  for (auto c = p.matched.begin(); c != p.matched.end(); ++c) {
    const auto same = [&](const Candidate& other) { return other.job == c->job; };
    if (same(p.primary) || std::any_of(p.matched.begin(), c, same))
      luaL_error(L, "job %I is in the group twice", id(*c));
    if (p.primary.running && c->running)
      luaL_error(L, "jobs %I and %I both run already, each on nodes of its own", id(p.primary), id(*c));
    if (!d.search.shape().room_for(p.primary.ppn, c->ppn))
      luaL_error(L, "jobs %I and %I cannot share nodes: %d and %d processes on %d cores", id(p.primary), id(*c),
                 static_cast<int>(p.primary.ppn), static_cast<int>(c->ppn), static_cast<int>(d.search.shape().cores));
  }
}

/// Raises an error unless the jobs of the group are what they were when it was made, and any machine can run it.
void check_current(lua_State* L, const GroupContext& d, const View& view, const GroupPlan& p) {
  const auto check = [&](const Candidate& c) {
    if (!is_current(view, c)) {
      luaL_error(L, "the group is out of date: job %I has started, joined another group or is to leave its nodes",
                 static_cast<LUAI_UACINT>(view.job(c.job).id));
    }
  };
  check(p.primary);
  for (const Candidate& c : p.matched) check(c);
  check_possible(L, d, view, p);
}

/// The group at the stack index.
const GroupPlan& check_current_plan(lua_State* L, GroupContext& d, const View& view, int index) {
  const GroupPlan& p = check_plan(L, d, index);
  check_current(L, d, view, p);
  return p;
}

/// view:fair(group, options?) -> boolean
int fair(lua_State* L) {
  GroupContext& d = context_of(L);
  const View& view = d.view_object().view(L);
  luahost::charge(L, static_cast<std::int64_t>(view.queue().size()));
  const GroupPlan& p = check_current_plan(L, d, view, 2);
  JobIndex hurt = kNoJob;
  const bool fair = d.fairness.fair(view, d.search, p, fairness_option(L, 3, "view:fair"), &hurt, d.reserved);
  if (!fair) refuse_plan(view, p, GroupRefusal::kUnfair, hurt);
  lua_pushboolean(L, fair ? 1 : 0);
  return 1;
}

bool can_start(const GroupContext& d, const View& view, const GroupPlan& p) {
  const bool can = can_be_placed(view, d.search, p);
  if (!can) refuse_plan(view, p, GroupRefusal::kNodes);
  return can;
}

/// view:can_start_group(group) -> boolean
int can_start_group(lua_State* L) {
  GroupContext& d = context_of(L);
  const View& view = d.view_object().view(L);
  lua_pushboolean(L, can_start(d, view, check_current_plan(L, d, view, 2)) ? 1 : 0);
  return 1;
}

bool leaves_reservations(GroupContext& d, const View& view, const GroupPlan& p) {
  const bool by_count = view.available().by_count();
  const bool fits =
      by_count ? d.reserved.fits(view, p, d.search.ends(p)) : first_displaced(view, d.search, p) == kNoJob;
  assert(!by_count || fits == (first_displaced(view, d.search, p) == kNoJob));
  if (!fits && view.explained()) refuse_plan(view, p, GroupRefusal::kReservation, first_displaced(view, d.search, p));
  return fits;
}

/// view:fits_group(group) -> boolean
int fits_group(lua_State* L) {
  GroupContext& d = context_of(L);
  const View& view = d.view_object().view(L);
  const GroupPlan& p = check_current_plan(L, d, view, 2);
  lua_pushboolean(L, can_start(d, view, p) && leaves_reservations(d, view, p) ? 1 : 0);
  return 1;
}

/// view:first_acceptable(groups, options?, stays?) -> Group?
/// The first of the groups that can start and is fair, and, for the last argument, moves no reservation.
int first_acceptable(lua_State* L) {
  GroupContext& d = context_of(L);
  const View& view = d.view_object().view(L);
  const FairnessOptions options = fairness_option(L, 3, "view:first_acceptable");
  const bool stays = lua_toboolean(L, 4) != 0;
  for (const std::size_t i : check_set(L, d, 2)) {
    const GroupPlan& p = d.plans[i];
    check_current(L, d, view, p);
    if (!can_start(d, view, p) || (stays && !leaves_reservations(d, view, p))) continue;
    luahost::charge(L, static_cast<std::int64_t>(view.queue().size()));
    JobIndex hurt = kNoJob;
    if (d.fairness.fair(view, d.search, p, options, &hurt, d.reserved)) return push_plan_at(L, d, i), 1;
    refuse_plan(view, p, GroupRefusal::kUnfair, hurt);
  }
  return 0;
}

/// view:can_start_alone(job) -> boolean
int can_start_alone(lua_State* L) {
  GroupContext& d = context_of(L);
  const View& view = d.view_object().view(L);
  const View::Position p = d.view_object().waiting_position(L, 2);
  const WaitingQueue& queue = view.queue();
  Availability& ledger = view.available();
  const bool room = ledger.by_count() ? queue.nodes(p) <= view.ceiling() : ledger.fits_reserved(view.ask(p));
  lua_pushboolean(L, queue.reserved(p) <= view.now() && room ? 1 : 0);
  return 1;
}

/// view:machine() -> Machine
int machine(lua_State* L) {
  const GroupContext& d = context_of(L);
  const NodeShape& shape = d.search.shape();
  push_value(L, machine_value({d.view_object().view(L).capacity(), shape.processors, shape.cores / shape.processors,
                               shape.memory_kb}));
  refuse_unknown_fields(L, "the machine has");
  return 1;
}

/// view:spread(job, processes_per_node)
int spread(lua_State* L) {
  GroupContext& d = context_of(L);
  d.view_object().check_decides(L);
  View& view = d.view_object().view(L);
  const View::Position p = d.view_object().waiting_position(L, 2);
  const lua_Integer ppn = luaL_checkinteger(L, 3);
  luaL_argcheck(L, ppn >= 1 && ppn <= d.search.shape().cores, 3, "processes per node, from 1 to its cores");
  const lua_Integer nodes = (view.job(view.queue().job(p)).size + ppn - 1) / ppn;
  if (nodes > view.capacity()) {
    return luaL_error(L, "the job would need %d nodes with %d processes on each, and there are %d",
                      static_cast<int>(nodes), static_cast<int>(ppn), static_cast<int>(view.capacity()));
  }
  view.set_ppn_alone(p, static_cast<std::int32_t>(ppn));
  d.prospects.spread(view, p, static_cast<std::int32_t>(ppn));
  lua_pushinteger(L, view.queue().nodes(p));
  JobTables::set_field(L, 2, "nodes");
  return 0;
}

/// view:nodes_in_group(job) -> integer
int nodes_in_group(lua_State* L) {
  GroupContext& d = context_of(L);
  lua_pushinteger(L, candidate_of(L, d, 2).nodes);
  return 1;
}

/// view:start_group(group)
int start_group(lua_State* L) {
  GroupContext& d = context_of(L);
  d.view_object().check_decides(L);
  View& view = d.view_object().view(L);
  const GroupPlan p = check_current_plan(L, d, view, 2);
  if (!d.view_object().pass().due) return luaL_error(L, "no job can start now: another class has the slice");
  if (!can_start(d, view, p)) {
    if (!view.available().by_count())
      return luaL_error(L, "the group cannot start now: there are no nodes for its jobs together");
    return luaL_error(L, "the group cannot start now: it needs %d more nodes, %d are idle", static_cast<int>(p.fresh),
                      static_cast<int>(view.ceiling()));
  }
  std::vector<JobIndex> matched;
  for (const Candidate& c : p.matched) matched.push_back(c.job);
  view.start_group(p.primary.job, matched, p.gain, d.search.time(p), StartReason::kPolicy);
  return 0;
}

}  // namespace

void GroupContext::clear() {
  lists.clear();
  sets.clear();
  plans.clear();
  number_ = next_number();
}

std::uint64_t GroupContext::next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

void build_group_metatables(lua_State* L, GroupContext& context) {
  using luahost::guarded;
  const luaL_Reg plan_methods[] = {{"matched", guarded<plan_matched>},   {"contains", guarded<plan_contains>},
                                   {"extended", guarded<plan_extended>}, {"purified", guarded<plan_purified>},
                                   {"periods", guarded<plan_periods>},   {nullptr, nullptr}};
  build_candidates_metatable(L, context);
  build_groups_metatable(L, context);
  luaL_newmetatable(L, kGroupType);
  lua_pushlightuserdata(L, context.view_object().place());
  lua_newtable(L);
  set_methods(L, plan_methods, context);
  lua_pushcclosure(L, guarded<plan_index>, 2);
  lua_setfield(L, -2, "__index");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}

void add_group_methods(lua_State* L, GroupContext& context) {
  using luahost::guarded;
  const luaL_Reg methods[] = {{"waiting_candidates", guarded<waiting_candidates>},
                              {"running_candidates", guarded<running_candidates>},
                              {"expect", guarded<expect>},
                              {"fair", guarded<fair>},
                              {"can_start_group", guarded<can_start_group>},
                              {"fits_group", guarded<fits_group>},
                              {"first_acceptable", guarded<first_acceptable>},
                              {"start_group", guarded<start_group>},
                              {"can_start_alone", guarded<can_start_alone>},
                              {"spread", guarded<spread>},
                              {"machine", guarded<machine>},
                              {"nodes_in_group", guarded<nodes_in_group>},
                              {nullptr, nullptr}};
  set_methods(L, methods, context);
}

}  // namespace coslice

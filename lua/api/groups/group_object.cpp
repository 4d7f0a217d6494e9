#include "api/groups/group_object.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>

#include <lua.hpp>

#include "api/groups/group_handles.h"
#include "api/jobs/job_tables.h"
#include "api/jobs/job_values.h"
#include "api/jobs/known_fields.h"
#include "api/policy/params.h"
#include "api/scripts/options.h"
#include "api/view/view_methods.h"
#include "api/view/view_object.h"
#include "core/error.h"
#include "host/guard.h"
#include "sharing/pair_choice.h"

namespace coslice {
using namespace groups;
namespace {

// --- groups

/// group.NAME: a field or a method of the group; an error for others.
int plan_index(lua_State* L, GroupContext& d) {
  const char* name = luaL_checkstring(L, 2);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) == LUA_TFUNCTION) return 1;
  const GroupPlan& p = check_plan(L, d, 1);
  const auto is = [&](const char* field) { return std::strcmp(name, field) == 0; };
  if (is("gain")) lua_pushnumber(L, p.gain);
  else if (is("nodes")) lua_pushinteger(L, p.nodes);
  else if (is("fresh")) lua_pushinteger(L, p.fresh);
  else if (is("size")) lua_pushinteger(L, std::ssize(p.matched) + 1);
  else if (is("primary")) push_job(L, d, p.primary.job);
  else {
    std::vector<std::string> known = text_keys(L, lua_upvalueindex(2));
    known.insert(known.end(), {"gain", "nodes", "fresh", "size", "primary"});
    raise_unknown_field(L, "a group has no method and", name, known);
  }
  return 1;
}

/// group:matched() -> Job[]
int plan_matched(lua_State* L, GroupContext& d) {
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
int plan_contains(lua_State* L, GroupContext& d) {
  const JobIndex j = d.view_object().jobs().index_of(L, 2);
  const GroupPlan& p = check_plan(L, d, 1);
  const bool in = p.primary.job == j ||
                  std::any_of(p.matched.begin(), p.matched.end(), [j](const Candidate& c) { return c.job == j; });
  return luahost::answer(L, in);
}

/// group:extended(others, exceed) -> Groups
int plan_extended(lua_State* L, GroupContext& d) {
  return push_plans(L, d, d.search.extended(check_plan(L, d, 1), check_list(L, d, 2), luaL_checknumber(L, 3)));
}

/// group:purified() -> Group
int plan_purified(lua_State* L, GroupContext& d) { return push_plan(L, d, d.search.purified(check_plan(L, d, 1))); }

/// group:periods() -> { time: number, slowdown: number, matched: Job[] }[]
int plan_periods(lua_State* L, GroupContext& d) {
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
int waiting_candidates(lua_State* L, GroupContext& d) {
  const View& view = d.view_object().view(L);
  Candidates list;
  const WaitingQueue& queue = view.queue();
  for (auto p = queue.first(); p < queue.end(); p = queue.next(p))
    list.push_back(waiting_candidate(view, queue.job(p)));
  return push_list(L, d, std::move(list));
}

/// view:running_candidates(options?) -> Candidates
int running_candidates(lua_State* L, GroupContext& d) {
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
int expect(lua_State* L, GroupContext& d) {
  d.view_object().waiting_position(L, 2);
  View& view = d.view_object().view(L);
  const JobIndex j = d.view_object().jobs().index_of(L, 2);
  const Duration response = d.fairness.expect(view, j);
  if (!lua_isnoneornil(L, 3)) view.bound_response(j, d.fairness.bound(j, fairness_option(L, 3, "view:expect")));
  return luahost::answer(L, to_seconds(response));
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
int fair(lua_State* L, GroupContext& d) {
  const View& view = d.view_object().view(L);
  luahost::charge(L, std::ssize(view.queue()));
  const GroupPlan& p = check_current_plan(L, d, view, 2);
  JobIndex hurt = kNoJob;
  const bool fair = d.fairness.fair(view, d.search, p, fairness_option(L, 3, "view:fair"), &hurt, d.reserved);
  if (!fair) refuse_plan(view, p, GroupRefusal::kUnfair, hurt);
  return luahost::answer(L, fair);
}

bool can_start(const GroupContext& d, const View& view, const GroupPlan& p) {
  const bool can = can_be_placed(view, d.search, p);
  if (!can) refuse_plan(view, p, GroupRefusal::kNodes);
  return can;
}

/// view:can_start_group(group) -> boolean
int can_start_group(lua_State* L, GroupContext& d) {
  const View& view = d.view_object().view(L);
  return luahost::answer(L, can_start(d, view, check_current_plan(L, d, view, 2)));
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
int fits_group(lua_State* L, GroupContext& d) {
  const View& view = d.view_object().view(L);
  const GroupPlan& p = check_current_plan(L, d, view, 2);
  return luahost::answer(L, can_start(d, view, p) && leaves_reservations(d, view, p));
}

/// view:first_acceptable(groups, options?, stays?) -> Group?
/// The first of the groups that can start and is fair, and, for the last argument, moves no reservation.
int first_acceptable(lua_State* L, GroupContext& d) {
  const View& view = d.view_object().view(L);
  const FairnessOptions options = fairness_option(L, 3, "view:first_acceptable");
  const bool stays = lua_toboolean(L, 4) != 0;
  for (const std::size_t i : check_set(L, d, 2)) {
    const GroupPlan& p = d.plans[i];
    check_current(L, d, view, p);
    if (!can_start(d, view, p) || (stays && !leaves_reservations(d, view, p))) continue;
    luahost::charge(L, std::ssize(view.queue()));
    JobIndex hurt = kNoJob;
    if (d.fairness.fair(view, d.search, p, options, &hurt, d.reserved)) return push_plan_at(L, d, i), 1;
    refuse_plan(view, p, GroupRefusal::kUnfair, hurt);
  }
  return 0;
}

/// view:can_start_alone(job) -> boolean
int can_start_alone(lua_State* L, GroupContext& d) {
  const View& view = d.view_object().view(L);
  const View::Position p = d.view_object().waiting_position(L, 2);
  const WaitingQueue& queue = view.queue();
  Availability& ledger = view.available();
  const bool room = ledger.by_count() ? queue.nodes(p) <= view.ceiling() : ledger.fits_reserved(view.ask(p));
  return luahost::answer(L, queue.reserved(p) <= view.now() && room);
}

/// view:machine() -> Machine
int machine(lua_State* L, GroupContext& d) {
  const NodeShape& shape = d.search.shape();
  push_value(L, machine_value({d.view_object().view(L).capacity(), shape.processors, shape.cores / shape.processors,
                               shape.memory_kb}));
  refuse_unknown_fields(L, "the machine has");
  return 1;
}

/// view:spread(job, processes_per_node)
int spread(lua_State* L, GroupContext& d) {
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
int nodes_in_group(lua_State* L, GroupContext& d) { return luahost::answer(L, candidate_of(L, d, 2).nodes); }

/// view:start_group(group)
int start_group(lua_State* L, GroupContext& d) {
  d.view_object().check_decides(L);
  View& view = d.view_object().view(L);
  const GroupPlan p = check_current_plan(L, d, view, 2);
  if (!d.view_object().pass().due) return luaL_error(L, "no job can start now: the class of this pass has no slice");
  if (!can_start(d, view, p)) {
    if (!view.available().by_count())
      return luaL_error(L, "the group cannot start now: not enough nodes for all its jobs");
    return luaL_error(L, "the group cannot start now: it needs %d more nodes, %d are idle", static_cast<int>(p.fresh),
                      static_cast<int>(view.ceiling()));
  }
  std::vector<JobIndex> matched;
  for (const Candidate& c : p.matched) matched.push_back(c.job);
  view.start_group(p.primary.job, matched, p.gain, d.search.time(p), StartReason::kPolicy);
  return 0;
}

constexpr double kAny = std::numeric_limits<double>::infinity();

// --- rules: which jobs may be partners

struct PartnersCall {
  PairRules rules;
  std::size_t depth = std::numeric_limits<std::size_t>::max();  ///< how many jobs behind are looked at
  std::optional<View::Position> behind;                         ///< behind this one, not the job itself
};

Resource resource_at(lua_State* L, int index) {
  static const char* const names[] = {"cpu", "network", "disk", nullptr};
  const char* name = lua_tostring(L, index);
  for (int i = 0; names[i] != nullptr; ++i)
    if (name != nullptr && std::strcmp(name, names[i]) == 0) return static_cast<Resource>(i);
  luaL_error(L, "the kinds of jobs are 'cpu', 'network' and 'disk'");
  return Resource::kCpu;
}

/// kinds = { { "cpu", "disk" }, ... }: pairs that may share nodes; the list is on the top of the stack.
void read_kinds(lua_State* L, const options::Option& o, PairRules& rules) {
  const char* const form = "a list of pairs such as { 'cpu', 'disk' }";
  if (!lua_istable(L, -1)) o.fail(form);
  rules.kinds = {};
  for (lua_Integer i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL; ++i) {
    if (!lua_istable(L, -1)) o.fail(form);
    lua_rawgeti(L, -1, 1);
    const auto a = static_cast<std::size_t>(resource_at(L, -1));
    lua_rawgeti(L, -2, 2);
    const auto b = static_cast<std::size_t>(resource_at(L, -1));
    rules.kinds[a][b] = rules.kinds[b][a] = true;
    lua_pop(L, 3);
  }
  lua_pop(L, 1);
}

/// An option that is a waiting job, which is on the top of the stack.
View::Position waiting_option(lua_State* L, const GroupContext& d, const options::Option& o) {
  if (!lua_istable(L, -1)) o.fail("a waiting job");
  return d.view_object().waiting_position(L, lua_gettop(L));
}

PartnersCall request_option(lua_State* L, const GroupContext& d, int table, const char* of) {
  PartnersCall r;
  options::read(L, table, of, {"over", "narrower", "memory", "matchable", "kinds", "max_slowdown", "depth", "behind"},
                [&](const options::Option& o) {
                  if (o.is("over")) r.rules.over = o.number();
                  else if (o.is("narrower")) r.rules.narrower = o.flag();
                  else if (o.is("memory")) r.rules.memory = o.flag();
                  else if (o.is("matchable")) r.rules.matchable = o.flag();
                  else if (o.is("kinds")) read_kinds(L, o, r.rules);
                  else if (o.is("max_slowdown")) r.rules.max_slowdown = o.number();
                  else if (o.is("behind")) r.behind = waiting_option(L, d, o);
                  else r.depth = static_cast<std::size_t>(std::max(0.0, std::min(1e9, o.number())));
                });
  return r;
}

const ResourceSlowdowns& resources(const GroupContext& d) {
  const SlowdownModel* model = d.view_object().jobs().slowdowns();
  const ResourceSlowdowns* r = model == nullptr ? nullptr : model->resources();
  if (r == nullptr) {
    throw InputError({"", 0, "the policy looks for pairs by what jobs use, which the scenario does not say",
                      "[slowdown] with model = \"resources\""});
  }
  return *r;
}

int push_partners(lua_State* L, GroupContext& d, Partners partners) {
  luahost::charge(L, static_cast<std::int64_t>(partners.seen / 8));
  push_list(L, d, std::move(partners.found));
  const PairCounts& c = partners.counts;
  for (const std::size_t n : {c.long_enough, c.narrow_enough, c.memory_fits, c.matchable, c.slow_enough})
    lua_pushinteger(L, static_cast<lua_Integer>(n));
  return 6;
}

PairChooser chooser_for(lua_State* L, const GroupContext& d) {
  const View::Position at = d.view_object().waiting_position(L, 2);
  return {d.view_object().view(L), d.search, resources(d), at};
}

/// view:partners(job, rules?) -> Candidates, integer, integer, integer, integer, integer
/// Waiting jobs behind one that waits, too, or behind another one; in order of the queue.
int partners(lua_State* L, GroupContext& d) {
  const PairChooser chooser = chooser_for(L, d);
  const PartnersCall request = request_option(L, d, 3, "view:partners");
  return push_partners(L, d, chooser.waiting(request.rules, request.depth, request.behind));
}

/// view:running_partners(job, rules?) -> Candidates, integer, integer, integer, integer, integer
/// Jobs that run for themselves, on whose nodes a waiting one could be placed; in order of their starts.
int running_partners(lua_State* L, GroupContext& d) {
  const PairChooser chooser = chooser_for(L, d);
  const PartnersCall request = request_option(L, d, 3, "view:running_partners");
  return push_partners(L, d, chooser.running(request.rules));
}

// --- the choice among them

ExpectedArrivals read_arrivals(lua_State* L) {
  ExpectedArrivals a;
  options::read(L, lua_gettop(L), "'arrivals' of view:best_pair", {"first", "others", "work", "queued"},
                [&](const options::Option& o) {
                  if (o.is("first")) a.first = o.number();
                  else if (o.is("others")) a.others = o.number();
                  else if (o.is("work")) a.work = o.number();
                  else a.queued = o.flag();
                });
  return a;
}

PairChoice choice_option(lua_State* L, GroupContext& d, int table) {
  PairChoice c;
  options::read(L, table, "view:best_pair", {"by", "own", "arrivals", "head"}, [&](const options::Option& o) {
    if (o.is("by")) {
      c.by = static_cast<PairChoice::By>(o.choice({"first", "gain", "weighted-gain", "response", "first-gain"}));
    } else if (o.is("own")) {
      c.own = static_cast<ResponseImpact::Own>(o.choice({"slowdown", "work"}));
    } else if (o.is("arrivals")) {
      c.arrivals = read_arrivals(L);
    } else {
      c.head = waiting_option(L, d, o);
    }
  });
  return c;
}

/// view:best_pair(job, partners, choice) -> Group?, integer?, number?
int best_pair(lua_State* L, GroupContext& d) {
  const View& view = d.view_object().view(L);
  const View::Position at = d.view_object().waiting_position(L, 2);
  const Candidates& list = check_list(L, d, 3);
  const PairChooser chooser = chooser_for(L, d);
  // What was made for another job, or before a job started, is no list of the job's partners.
  if (const Candidate* c = chooser.stranger(list)) {
    return luaL_error(
        L, "job %I is not a partner of job %I: its partners are what 'partners' or 'running_partners' gave for it",
        static_cast<LUAI_UACINT>(view.job(c->job).id), static_cast<LUAI_UACINT>(view.job(view.queue().job(at)).id));
  }
  const PairChoice choice = choice_option(L, d, 4);
  if (list.empty()) return 0;
  luahost::charge(L, std::ssize(list));
  std::optional<ChosenPair> chosen = chooser.best(list, choice);
  if (!chosen) return 0;
  push_plan(L, d, std::move(chosen->plan));
  lua_pushinteger(L, static_cast<lua_Integer>(chosen->place) + 1);
  lua_pushnumber(L, chosen->profit);
  return 3;
}

// --- pairs that run

const StartedJob& started_job(lua_State* L, const GroupContext& d, int index) {
  const JobIndex j = d.view_object().jobs().index_of(L, index);
  const View& view = d.view_object().view(L);
  for (const StartedJob& s : view.started())
    if (s.index == j) return s;
  luaL_error(L, "job %I does not run", static_cast<LUAI_UACINT>(view.job(j).id));
  std::abort();
}

/// view:slowdown(job) -> number
/// Of a started job: how many times as long as alone with one process on each node it takes for what it does just now.
int slowdown_now(lua_State* L, GroupContext& d) {
  const StartedJob& s = started_job(L, d, 2);
  return luahost::answer(L, s.phase == Phase::kRunning ? 1 / s.rate.value() : kAny);
}

/// view:separate(job)
int separate(lua_State* L, GroupContext& d) {
  d.view_object().check_decides(L);
  const StartedJob& s = started_job(L, d, 2);
  if (s.group == nullptr || s.group->apart)
    return luaL_error(L, "job %I runs beside no other job",
                      static_cast<LUAI_UACINT>(d.view_object().view(L).job(s.index).id));
  d.view_object().view(L).separate(*s.group);
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
  const luaL_Reg plan_methods[] = {{"matched", method<plan_matched>},   {"contains", method<plan_contains>},
                                   {"extended", method<plan_extended>}, {"purified", method<plan_purified>},
                                   {"periods", method<plan_periods>},   {nullptr, nullptr}};
  build_candidates_metatable(L, context);
  build_groups_metatable(L, context);
  build_type(L, context, kGroupType, plan_methods, method<plan_index>, nullptr);
}

void add_group_methods(lua_State* L, GroupContext& context) {
  const luaL_Reg methods[] = {{"waiting_candidates", method<waiting_candidates>},
                              {"running_candidates", method<running_candidates>},
                              {"expect", method<expect>},
                              {"fair", method<fair>},
                              {"can_start_group", method<can_start_group>},
                              {"fits_group", method<fits_group>},
                              {"first_acceptable", method<first_acceptable>},
                              {"start_group", method<start_group>},
                              {"can_start_alone", method<can_start_alone>},
                              {"spread", method<spread>},
                              {"machine", method<machine>},
                              {"nodes_in_group", method<nodes_in_group>},
                              {nullptr, nullptr}};
  set_methods(L, methods, context);
}

void add_pair_methods(lua_State* L, GroupContext& context) {
  const luaL_Reg methods[] = {{"partners", method<partners>},   {"running_partners", method<running_partners>},
                              {"best_pair", method<best_pair>}, {"slowdown", method<slowdown_now>},
                              {"separate", method<separate>},   {nullptr, nullptr}};
  set_methods(L, methods, context);
}

namespace {

using Groups = Prospects::Search::Groups;

/// view:note_choices(job, choices)
int note_choices(lua_State* L, GroupContext& d) {
  const JobIndex j = d.view_object().jobs().index_of(L, 2);
  Prospects::Choices choices;
  options::read(L, 3, "view:note_choices", {"shares", "searches", "ppn", "most"}, [&](const options::Option& o) {
    if (o.is("shares")) choices.shares = o.flag();
    else if (o.is("searches")) choices.searches = o.flag();
    else if (o.is("ppn")) choices.ppn = static_cast<std::int32_t>(o.count());
    else choices.most = static_cast<std::int32_t>(o.count());
  });
  const std::int32_t cores = d.search.shape().cores;
  luaL_argcheck(L, choices.ppn <= cores && choices.most <= cores, 3, "processes per node, from 1 to its cores");
  luaL_argcheck(L, choices.ppn == choices.most || (choices.ppn > 0 && choices.most > 0), 3,
                "ppn and most together, or neither");
  d.prospects.note(j, choices);
  return 0;
}

Prospects::Search search_option(lua_State* L) {
  Prospects::Search search;
  search.tolerance = tolerance_option(L, 3, "view:prospects");
  options::read(L, 4, "view:prospects", {"groups", "primaries"}, [&](const options::Option& o) {
    if (o.is("groups")) search.groups = static_cast<Groups>(o.choice({"none", "pairs", "sets"}));
    else search.primaries = o.count();
  });
  return search;
}

/// Upvalues: the view, the next position, the head, the search.
int next_prospect(lua_State* L) {
  ViewObject& object = own_view(L);
  View& view = object.view(L);
  const WaitingQueue& queue = view.queue();
  GroupContext* const d = object.groups();
  const auto from = static_cast<View::Position>(lua_tointeger(L, lua_upvalueindex(2)));
  const auto head = static_cast<JobIndex>(lua_tointeger(L, lua_upvalueindex(3)));
  const auto& search = *static_cast<const Prospects::Search*>(lua_touserdata(L, lua_upvalueindex(4)));
  View::Position p = d->prospects.next(view, from, head, search);
  while (p < queue.end() && !queue.live(p)) ++p;
  luahost::charge(L, static_cast<std::int64_t>(std::min(p, queue.end()) - std::min(from, queue.end())));
  if (p >= queue.end()) return 0;
  lua_pushinteger(L, static_cast<lua_Integer>(p) + 1);
  lua_replace(L, lua_upvalueindex(2));
  object.hint(p);
  object.jobs().push(L, queue.job(p));
  return 1;
}

/// view:prospects(head, limits, search) -> fun(): Job
int prospects(lua_State* L, GroupContext& d) {
  d.view_object().check_decides(L);
  const View::Position head = d.view_object().waiting_position(L, 2);
  const JobIndex j = d.view_object().view(L).queue().job(head);
  const Prospects::Search search = search_option(L);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, static_cast<lua_Integer>(head) + 1);
  lua_pushinteger(L, static_cast<lua_Integer>(j));
  *static_cast<Prospects::Search*>(lua_newuserdatauv(L, sizeof(Prospects::Search), 0)) = search;
  lua_pushcclosure(L, luahost::guarded<next_prospect>, 4);
  return 1;
}

}  // namespace

void add_prospect_methods(lua_State* L, GroupContext& context) {
  const luaL_Reg methods[] = {
      {"note_choices", method<note_choices>}, {"prospects", method<prospects>}, {nullptr, nullptr}};
  set_methods(L, methods, context);
}

}  // namespace coslice

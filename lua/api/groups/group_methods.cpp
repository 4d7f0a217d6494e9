#include "api/groups/group_methods.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>

#include <lua.hpp>

#include "api/groups/group_handles.h"
#include "api/jobs/job_tables.h"
#include "api/scripts/options.h"
#include "api/view/view_methods.h"
#include "api/view/view_object.h"
#include "core/error.h"
#include "host/guard.h"
#include "sharing/pair_choice.h"
#include "sharing/prospects.h"

namespace coslice {

using namespace groups;

namespace {

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
int partners(lua_State* L) {
  GroupContext& d = context_of(L);
  const PairChooser chooser = chooser_for(L, d);
  const PartnersCall request = request_option(L, d, 3, "view:partners");
  return push_partners(L, d, chooser.waiting(request.rules, request.depth, request.behind));
}

/// view:running_partners(job, rules?) -> Candidates, integer, integer, integer, integer, integer
/// Jobs that run for themselves, on whose nodes a waiting one could be placed; in order of their starts.
int running_partners(lua_State* L) {
  GroupContext& d = context_of(L);
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
int best_pair(lua_State* L) {
  GroupContext& d = context_of(L);
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
  luahost::charge(L, static_cast<std::int64_t>(list.size()));
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
int slowdown_now(lua_State* L) {
  const StartedJob& s = started_job(L, context_of(L), 2);
  lua_pushnumber(L, s.phase == Phase::kRunning ? 1 / s.rate.value() : kAny);
  return 1;
}

/// view:separate(job)
int separate(lua_State* L) {
  GroupContext& d = context_of(L);
  d.view_object().check_decides(L);
  const StartedJob& s = started_job(L, d, 2);
  if (s.group == nullptr || s.group->apart)
    return luaL_error(L, "job %I runs beside no other job",
                      static_cast<LUAI_UACINT>(d.view_object().view(L).job(s.index).id));
  d.view_object().view(L).separate(*s.group);
  return 0;
}

}  // namespace

void add_pair_methods(lua_State* L, GroupContext& context) {
  using luahost::guarded;
  const luaL_Reg methods[] = {{"partners", guarded<partners>},   {"running_partners", guarded<running_partners>},
                              {"best_pair", guarded<best_pair>}, {"slowdown", guarded<slowdown_now>},
                              {"separate", guarded<separate>},   {nullptr, nullptr}};
  set_methods(L, methods, context);
}

using namespace groups;

namespace {

using Groups = Prospects::Search::Groups;

/// view:note_choices(job, choices)
int note_choices(lua_State* L) {
  GroupContext& d = context_of(L);
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
int prospects(lua_State* L) {
  GroupContext& d = context_of(L);
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
  using luahost::guarded;
  const luaL_Reg methods[] = {
      {"note_choices", guarded<note_choices>}, {"prospects", guarded<prospects>}, {nullptr, nullptr}};
  set_methods(L, methods, context);
}

}  // namespace coslice

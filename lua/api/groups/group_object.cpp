#include "api/groups/group_object.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <limits>
#include <optional>

#include "api/groups/group_handles.h"
#include "api/jobs/job_values.h"
#include "api/jobs/known_fields.h"
#include "api/policy/params.h"
#include "api/scripts/options.h"
#include "core/error.h"
#include "host/acting.h"
#include "sharing/pair_choice.h"

namespace coslice {
using namespace groups;
namespace {

using luahost::acting;
using luahost::bound;
using luahost::raise;

// --- groups

/// group.NAME: a field or a method of the group; an error for others.
int plan_index(lua_State* L) {
  const std::string_view name = luaL_checkstring(L, 2);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) == LUA_TFUNCTION) return 1;
  const PlanCall call(L);
  const GroupPlan& p = call.plan;
  if (name == "gain") return luahost::answer(L, p.gain);
  if (name == "nodes") return luahost::answer(L, p.nodes);
  if (name == "fresh") return luahost::answer(L, p.fresh);
  if (name == "size") return luahost::answer(L, p.matched.size() + 1);
  if (name == "primary") return luahost::push_results(L, call, AnyJob(p.primary.job));
  std::vector<std::string> known = text_keys(L, lua_upvalueindex(2));
  known.insert(known.end(), {"gain", "nodes", "fresh", "size", "primary"});
  raise_unknown_field(L, "a group has no method and", name.data(), known);
}

/// group:matched() -> Job[]
std::vector<AnyJob> plan_matched(const PlanCall& call) {
  std::vector<AnyJob> jobs;
  for (const Candidate& c : call.plan.matched) jobs.push_back(c.job);
  return jobs;
}

/// group:contains(job) -> boolean
bool plan_contains(const PlanCall& call, AnyJob job) { return call.plan.has(job); }

/// group:extended(others, exceed) -> Groups
Plans plan_extended(const PlanCall& call, ListArgument others, double exceed) {
  return {call.d.search.extended(call.plan, others.list, exceed)};
}

/// group:purified() -> Group
Plan plan_purified(const PlanCall& call) { return {call.d.search.purified(call.plan)}; }

/// group:periods() -> { time: number, slowdown: number, matched: Job[] }[]
luahost::Pushed plan_periods(const PlanCall& call) {
  lua_State* const L = call.L;
  const GroupPlan& p = call.plan;
  std::vector<GainMember> members;
  for (const Candidate& c : p.matched) members.push_back(c.beside);
  luahost::push_list(L, gain_timeline(p.primary.work, members).periods, [&](const GainPeriod& period) {
    std::vector<AnyJob> matched;
    for (const std::size_t i : period.members) matched.push_back(p.matched[i].job);
    luahost::push_fields(L, "time", period.time, "slowdown", period.slowdown);
    luahost::set_field(L, "matched", matched, call);
  });
  return {};
}

// --- the view

/// view:waiting_candidates() -> Candidates
List waiting_candidates(const GroupCall& call) {
  List list;
  const WaitingQueue& queue = call.queue();
  for (auto p = queue.first(); p < queue.end(); p = queue.next(p))
    list.candidates.push_back(waiting_candidate(call.view, queue.job(p)));
  return list;
}

/// view:running_candidates(options?) -> Candidates
List running_candidates(const GroupCall& call) {
  const View& view = call.view;
  const FairnessOptions options = fairness_option(call.L, 2, "view:running_candidates");
  std::vector<std::pair<double, const StartedJob*>> order;
  for (const StartedJob& s : view.started())
    if (view.may_be_joined(s)) order.emplace_back(call.d.fairness.delay(view, s, options), &s);
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.first < b.first; });
  List list;
  for (const auto& o : order) list.candidates.push_back(running_candidate(view, *o.second));
  return list;
}

/// view:expect(job, options?) -> number
double expect(const GroupCall& call, WaitingJob p) {
  const JobIndex j = call.queue().job(p);
  const Expectation& expected = call.d.fairness.expect(call.view, j);
  if (!lua_isnoneornil(call.L, 3))
    call.view.bound_response(j, expected.bound(fairness_option(call.L, 3, "view:expect")));
  return to_seconds(expected.response);
}

/// Groups can be put together in ways in which no machine can run them.
void check_possible(const GroupCall& call, const GroupPlan& p) {
  const NodeShape& shape = call.d.search.shape();
  for (auto c = p.matched.begin(); c != p.matched.end(); ++c) {
    const auto same = [&](const Candidate& other) { return other.job == c->job; };
    const std::int64_t primary = call.id(p.primary.job), matched = call.id(c->job);
    if (same(p.primary) || std::any_of(p.matched.begin(), c, same))
      raise(call.L, "job {} is in the group twice", matched);
    if (p.primary.running && c->running)
      raise(call.L, "jobs {} and {} both run already, each on nodes of its own", primary, matched);
    if (!shape.room_for(p.primary.ppn, c->ppn))
      raise(call.L, "jobs {} and {} cannot share nodes: {} and {} processes on {} cores", primary, matched,
            p.primary.ppn, c->ppn, shape.cores);
  }
}

/// A group whose jobs are what they were when it was made, and that any machine can run; an error for others.
void check_current(const GroupCall& call, const GroupPlan& p) {
  const auto check = [&](const Candidate& c) {
    if (!is_current(call.view, c))
      raise(call.L, "the group is out of date: job {} has started, joined another group or is to leave its nodes",
            call.id(c.job));
  };
  check(p.primary);
  for (const Candidate& c : p.matched) check(c);
  check_possible(call, p);
}

struct CurrentPlan {
  CurrentPlan(lua_State* L, const GroupCall& call, int index) : plan(check_plan(L, call.d, index)) {
    check_current(call, plan);
  }
  const GroupPlan& plan;
};

/// Whether nobody is hurt by the group; who hears of decisions is told of one that is.
bool is_fair(const GroupCall& call, const GroupPlan& p, const FairnessOptions& options) {
  call.charge(std::ssize(call.queue()));
  JobIndex hurt = kNoJob;
  const bool fair = call.d.fairness.fair(call.view, call.d.search, p, options, &hurt, call.d.reserved);
  if (!fair) refuse_plan(call.view, p, GroupRefusal::kUnfair, hurt);
  return fair;
}

/// view:fair(group, options?) -> boolean
bool fair(const GroupCall& call, CurrentPlan p) {
  return is_fair(call, p.plan, fairness_option(call.L, 3, "view:fair"));
}

bool can_start(const GroupCall& call, const GroupPlan& p) {
  const bool can = can_be_placed(call.view, call.d.search, p);
  if (!can) refuse_plan(call.view, p, GroupRefusal::kNodes);
  return can;
}

/// view:can_start_group(group) -> boolean
bool can_start_group(const GroupCall& call, CurrentPlan p) { return can_start(call, p.plan); }

bool leaves_reservations(const GroupCall& call, const GroupPlan& p) {
  const View& view = call.view;
  GroupContext& d = call.d;
  const bool by_count = view.available().by_count();
  const bool fits =
      d.reserved.fits(view, p, d.search.ends(p)) && (by_count || first_displaced(view, d.search, p) == kNoJob);
  assert(!by_count || fits == (first_displaced(view, d.search, p) == kNoJob));
  if (!fits && view.explained()) refuse_plan(view, p, GroupRefusal::kReservation, first_displaced(view, d.search, p));
  return fits;
}

/// view:fits_group(group) -> boolean
bool fits_group(const GroupCall& call, CurrentPlan p) {
  return can_start(call, p.plan) && leaves_reservations(call, p.plan);
}

/// view:first_acceptable(groups, options?, stays?) -> Group?, string?
/// The first of the groups that can start and is fair, and, for the last argument, moves no reservation. Without
/// one, the last of these hurdles that any of them came to.
std::tuple<std::optional<KnownPlan>, std::optional<std::string_view>> first_acceptable(const GroupCall& call) {
  constexpr std::string_view kHurdles[] = {"gain", "nodes", "reservation", "unfair"};
  std::size_t hurdle = 0;
  const auto stopped_at = [&](std::size_t h) { hurdle = std::max(hurdle, h); };
  const FairnessOptions options = fairness_option(call.L, 3, "view:first_acceptable");
  const bool stays = lua_toboolean(call.L, 4) != 0;
  for (const std::size_t i : check_set(call.L, call.d, 2)) {
    const GroupPlan& p = call.d.plans[i];
    check_current(call, p);
    if (!can_start(call, p)) stopped_at(1);
    else if (stays && !leaves_reservations(call, p)) stopped_at(2);
    else if (!is_fair(call, p, options)) stopped_at(3);
    else return {KnownPlan{i}, std::nullopt};
  }
  return {std::nullopt, kHurdles[hurdle]};
}

/// view:can_start_alone(job) -> boolean
bool can_start_alone(const GroupCall& call, WaitingJob p) {
  const WaitingQueue& queue = call.queue();
  Availability& ledger = call.view.available();
  const bool room = ledger.by_count() ? queue.nodes(p) <= call.view.ceiling() : ledger.fits_reserved(call.view.ask(p));
  return queue.reserved(p) <= call.view.now() && room;
}

/// view:machine() -> Machine
luahost::Pushed machine(const GroupCall& call) {
  const NodeShape& shape = call.d.search.shape();
  push_value(call.L,
             machine_value({call.view.capacity(), shape.processors, shape.cores / shape.processors, shape.memory_kb}));
  refuse_unknown_fields(call.L, "the machine has");
  return {};
}

/// A method that decides; raises a Lua error in hooks that may only ask.
struct DecidingGroupCall : GroupCall {
  explicit DecidingGroupCall(lua_State* state) : GroupCall(state) { object.check_decides(state); }
};

/// view:spread(job, processes_per_node)
void spread(const DecidingGroupCall& call, WaitingJob p, lua_Integer ppn) {
  lua_State* const L = call.L;
  View& view = call.view;
  luaL_argcheck(L, ppn >= 1 && ppn <= call.d.search.shape().cores, 3, "processes per node, from 1 to its cores");
  const lua_Integer nodes = (view.job(view.queue().job(p)).size + ppn - 1) / ppn;
  if (nodes > view.capacity())
    raise(L, "the job would need {} nodes with {} processes on each, and there are {}", nodes, ppn, view.capacity());
  view.set_ppn_alone(p, static_cast<std::int32_t>(ppn));
  call.d.prospects.spread(view, p, static_cast<std::int32_t>(ppn));
  lua_pushinteger(L, view.queue().nodes(p));
  JobTables::set_field(L, 2, "nodes");
}

/// view:nodes_in_group(job) -> integer
std::int32_t nodes_in_group(const GroupCall&, JobCandidate job) { return job.nodes; }

/// view:start_group(group)
void start_group(const DecidingGroupCall& call, CurrentPlan current) {
  const GroupPlan p = current.plan;
  if (!call.object.pass().due) raise(call.L, "no job can start now: the class of this pass has no slice");
  if (!can_start(call, p)) {
    if (!call.view.available().by_count())
      raise(call.L, "the group cannot start now: not enough nodes for all its jobs");
    raise(call.L, "the group cannot start now: it needs {} more nodes, {} are idle", p.fresh, call.view.ceiling());
  }
  std::vector<JobIndex> matched;
  for (const Candidate& c : p.matched) matched.push_back(c.job);
  call.view.start_group(p.primary.job, matched, p.gain, call.d.search.time(p), StartReason::kPolicy);
}

constexpr double kAny = std::numeric_limits<double>::infinity();

// --- rules: which jobs may be partners

struct PartnersCall {
  PairRules rules;
  std::size_t depth = std::numeric_limits<std::size_t>::max();  ///< how many jobs behind are looked at
  std::optional<View::Position> behind;                         ///< behind this one, not the job itself
};

Resource resource_at(lua_State* L, int index) {
  const std::string_view name = lua_isstring(L, index) != 0 ? lua_tostring(L, index) : "";
  int resource = 0;
  for (const char* known : {"cpu", "network", "disk"}) {
    if (name == known) return static_cast<Resource>(resource);
    ++resource;
  }
  raise(L, "the kinds of jobs are 'cpu', 'network' and 'disk'");
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
View::Position waiting_option(const GroupCall& call, const options::Option& o) {
  if (!lua_istable(call.L, -1)) o.fail("a waiting job");
  return call.object.waiting_position(call.L, lua_gettop(call.L));
}

PartnersCall request_option(const GroupCall& call, int table, const char* of) {
  lua_State* const L = call.L;
  PartnersCall r;
  options::read(L, table, of, {"over", "narrower", "memory", "matchable", "kinds", "max_slowdown", "depth", "behind"},
                [&](const options::Option& o) {
                  if (o.is("over")) r.rules.over = o.number();
                  else if (o.is("narrower")) r.rules.narrower = o.flag();
                  else if (o.is("memory")) r.rules.memory = o.flag();
                  else if (o.is("matchable")) r.rules.matchable = o.flag();
                  else if (o.is("kinds")) read_kinds(L, o, r.rules);
                  else if (o.is("max_slowdown")) r.rules.max_slowdown = o.number();
                  else if (o.is("behind")) r.behind = waiting_option(call, o);
                  else r.depth = static_cast<std::size_t>(std::max(0.0, std::min(1e9, o.number())));
                });
  return r;
}

const ResourceSlowdowns& resources(const GroupCall& call) {
  const SlowdownModel* model = call.object.jobs().slowdowns();
  const ResourceSlowdowns* r = model == nullptr ? nullptr : model->resources();
  if (r == nullptr) {
    throw InputError({"", 0, "the policy looks for pairs by what jobs use, which the scenario does not say",
                      "[slowdown] with model = \"resources\""});
  }
  return *r;
}

/// The partners, and how many jobs were left after each rule.
using PartnersAnswer = std::tuple<List, std::size_t, std::size_t, std::size_t, std::size_t, std::size_t>;

PartnersAnswer answer_of(const GroupCall& call, Partners partners) {
  call.charge(static_cast<std::int64_t>(partners.seen / 8));
  const PairCounts& c = partners.counts;
  return {List{std::move(partners.found)}, c.long_enough, c.narrow_enough, c.memory_fits, c.matchable, c.slow_enough};
}

PairChooser chooser_for(const GroupCall& call, View::Position at) {
  return {call.view, call.d.search, resources(call), at};
}

/// view:partners(job, rules?) -> Candidates, integer, integer, integer, integer, integer
/// Waiting jobs behind one that waits, too, or behind another one; in order of the queue.
PartnersAnswer partners(const GroupCall& call, WaitingJob job) {
  const PairChooser chooser = chooser_for(call, job);
  const PartnersCall request = request_option(call, 3, "view:partners");
  return answer_of(call, chooser.waiting(request.rules, request.depth, request.behind));
}

/// view:running_partners(job, rules?) -> Candidates, integer, integer, integer, integer, integer
/// Jobs that run for themselves, on whose nodes a waiting one could be placed; in order of their starts.
PartnersAnswer running_partners(const GroupCall& call, WaitingJob job) {
  const PairChooser chooser = chooser_for(call, job);
  return answer_of(call, chooser.running(request_option(call, 3, "view:running_partners").rules));
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

PairChoice choice_option(const GroupCall& call, int table) {
  PairChoice c;
  options::read(call.L, table, "view:best_pair", {"by", "own", "arrivals", "head"}, [&](const options::Option& o) {
    if (o.is("by"))
      c.by = static_cast<PairChoice::By>(o.choice({"first", "gain", "weighted-gain", "response", "first-gain"}));
    else if (o.is("own")) c.own = static_cast<ResponseImpact::Own>(o.choice({"slowdown", "work"}));
    else if (o.is("arrivals")) c.arrivals = read_arrivals(call.L);
    else c.head = waiting_option(call, o);
  });
  return c;
}

/// view:best_pair(job, partners, choice) -> Group?, integer?, number?
std::optional<std::tuple<Plan, std::size_t, double>> best_pair(const GroupCall& call, WaitingJob job,
                                                               ListArgument among) {
  const PairChooser chooser = chooser_for(call, job);
  // What was made for another job, or before a job started, is no list of the job's partners.
  if (const Candidate* c = chooser.stranger(among.list))
    raise(call.L,
          "job {} is not a partner of job {}: its partners are what 'partners' or 'running_partners' gave for it",
          call.id(c->job), call.id(call.queue().job(job)));
  const PairChoice choice = choice_option(call, 4);
  if (among.list.empty()) return {};
  call.charge(std::ssize(among.list));
  std::optional<ChosenPair> chosen = chooser.best(among.list, choice);
  if (!chosen) return {};
  return {{Plan{std::move(chosen->plan)}, chosen->place + 1, chosen->profit}};
}

// --- pairs that run

/// A job that has started; an error for others.
struct RunningJob {
  RunningJob(lua_State* L, const GroupCall& call, int index) {
    const JobIndex j = AnyJob(L, call, index);
    for (const StartedJob& s : call.view.started())
      if (s.index == j) job = &s;
    if (job == nullptr) raise(L, "job {} does not run", call.id(j));
  }
  const StartedJob* job = nullptr;
};

/// view:slowdown(job) -> number
/// Of a started job: how many times as long as alone with one process on each node it takes for what it does just now.
double slowdown_now(const GroupCall&, RunningJob s) {
  return s.job->phase == Phase::kRunning ? 1 / s.job->rate.value() : kAny;
}

/// view:separate(job)
void separate(const DecidingGroupCall& call, RunningJob s) {
  if (s.job->group == nullptr || s.job->group->apart)
    raise(call.L, "job {} runs beside no other job", call.id(s.job->index));
  call.view.separate(*s.job->group);
}

using Groups = Prospects::Search::Groups;

/// view:note_choices(job, choices)
void note_choices(const GroupCall& call, AnyJob job) {
  lua_State* const L = call.L;
  Prospects::Choices choices;
  options::read(L, 3, "view:note_choices", {"shares", "searches", "ppn", "most"}, [&](const options::Option& o) {
    if (o.is("shares")) choices.shares = o.flag();
    else if (o.is("searches")) choices.searches = o.flag();
    else if (o.is("ppn")) choices.ppn = static_cast<std::int32_t>(o.count());
    else choices.most = static_cast<std::int32_t>(o.count());
  });
  const std::int32_t cores = call.d.search.shape().cores;
  luaL_argcheck(L, choices.ppn <= cores && choices.most <= cores, 3, "processes per node, from 1 to its cores");
  luaL_argcheck(L, choices.ppn == choices.most || (choices.ppn > 0 && choices.most > 0), 3,
                "ppn and most together, or neither");
  call.d.prospects.note(job, choices);
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
luahost::Pushed next_prospect(Loop& loop) {
  const WaitingQueue& queue = loop.queue;
  const View::Position from = loop.next();
  const auto head = static_cast<JobIndex>(lua_tointeger(loop.L, lua_upvalueindex(3)));
  const auto& search = *static_cast<const Prospects::Search*>(lua_touserdata(loop.L, lua_upvalueindex(4)));
  View::Position p = loop.object.groups()->prospects.next(loop.view, from, head, search);
  while (p < queue.end() && !queue.live(p)) ++p;
  loop.charge(static_cast<std::int64_t>(std::min(p, queue.end()) - std::min(from, queue.end())));
  return p >= queue.end() ? luahost::Pushed{0} : loop.give_as(p + 1, p);
}

/// view:prospects(head, limits, search) -> fun(): Job
luahost::Pushed prospects(const DecidingGroupCall& call, WaitingJob head) {
  lua_State* const L = call.L;
  const Prospects::Search search = search_option(L);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, static_cast<lua_Integer>(head.p) + 1);
  lua_pushinteger(L, static_cast<lua_Integer>(call.queue().job(head)));
  *static_cast<Prospects::Search*>(lua_newuserdatauv(L, sizeof(Prospects::Search), 0)) = search;
  lua_pushcclosure(L, bound<next_prospect>, 4);
  return {};
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
  build_candidates_metatable(L, context);
  build_groups_metatable(L, context);
  build_type(L, context, kGroupType,
             {{"matched", bound<plan_matched>},
              {"contains", bound<plan_contains>},
              {"extended", bound<plan_extended>},
              {"purified", bound<plan_purified>},
              {"periods", bound<plan_periods>}},
             luahost::guarded<plan_index>, nullptr);
}

void add_group_methods(lua_State* L, GroupContext& context) {
  set_methods(L,
              {{"waiting_candidates", bound<waiting_candidates>},
               {"running_candidates", bound<running_candidates>},
               {"expect", bound<expect>},
               {"fair", bound<fair>},
               {"can_start_group", bound<can_start_group>},
               {"fits_group", bound<fits_group>},
               {"first_acceptable", bound<first_acceptable>},
               {"start_group", acting<start_group>},
               {"can_start_alone", bound<can_start_alone>},
               {"spread", acting<spread>},
               {"machine", bound<machine>},
               {"nodes_in_group", bound<nodes_in_group>}},
              context);
}

void add_pair_methods(lua_State* L, GroupContext& context) {
  set_methods(L,
              {{"partners", bound<partners>},
               {"running_partners", bound<running_partners>},
               {"best_pair", bound<best_pair>},
               {"slowdown", bound<slowdown_now>},
               {"separate", acting<separate>}},
              context);
}

void add_prospect_methods(lua_State* L, GroupContext& context) {
  set_methods(L, {{"note_choices", bound<note_choices>}, {"prospects", bound<prospects>}}, context);
}

}  // namespace coslice

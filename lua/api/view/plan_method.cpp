// view:plan: jobs in order, each at its earliest; what can start now does.
#include "api/scripts/options.h"
#include "api/view/preemption_options.h"
#include "api/view/view_call.h"
#include "core/error.h"
#include "host/acting.h"
#include "schedule/plan_in_order.h"

namespace coslice {
namespace {

using luahost::raise;

constexpr const char* kPlan = "view:plan";
constexpr int kOptions = 2, kMayStart = 3, kMayHold = 4, kCountsAs = 5, kPreempts = 6,
              kPartitions = 7;  ///< on the stack

/// Which of the functions are given.
struct GivenFunctions {
  bool may_start = false, may_hold = false, counts_as = false, preempts = false, partitions = false;
};

const Attribute& counted_field(lua_State* L) {
  const auto counts = [](const Attribute& a) {
    return a.has(Attribute::kPolicy) && a.kind == Attribute::Kind::kNumber;
  };
  const char* const name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
  const Attribute* const found = find_attribute(name);
  if (found != nullptr && counts(*found)) return *found;
  std::vector<std::string> known;
  for (const Attribute& a : kAttributes)
    if (counts(a)) known.emplace_back(a.name);
  const std::string hint = did_you_mean(name, known);
  raise(L, "option 'limits' of {}: jobs are counted by no field '{}'{}{}", kPlan, name, hint.empty() ? "" : "; ", hint);
}

/// { "user", "partition", most = 5 } on the top of the stack.
PlanLimit limit_of(lua_State* L, const options::Option& o) {
  if (!lua_istable(L, -1)) o.fail("a list of tables such as { \"user\", most = 5 }");
  PlanLimit limit;
  const lua_Unsigned n = lua_rawlen(L, -1);
  for (lua_Unsigned i = 1; i <= n; ++i) {
    lua_rawgeti(L, -1, static_cast<lua_Integer>(i));
    limit.alike.push_back(&counted_field(L));
    lua_pop(L, 1);
  }
  lua_getfield(L, -1, "most");
  int whole = 0;
  const lua_Integer most = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &whole) : -1;
  lua_pop(L, 1);
  if (n == 0 || whole == 0 || most < 0) o.fail("a list of tables such as { \"user\", most = 5 }");
  limit.most = static_cast<std::size_t>(most);
  return limit;
}

std::vector<PlanLimit> limits_of(lua_State* L, const options::Option& o) {
  if (!lua_istable(L, -1)) o.fail("a list of tables such as { \"user\", most = 5 }");
  std::vector<PlanLimit> limits;
  const lua_Unsigned n = lua_rawlen(L, -1);
  for (lua_Unsigned i = 1; i <= n; ++i) {
    lua_rawgeti(L, -1, static_cast<lua_Integer>(i));
    limits.push_back(limit_of(L, o));
    lua_pop(L, 1);
  }
  return limits;
}

/// Leaves the functions at their places on the stack.
PlanOptions read_plan(lua_State* L, const View& view, GivenFunctions& functions) {
  PlanOptions plan;
  lua_settop(L, kOptions);
  lua_settop(L, kPartitions);
  options::read(L, kOptions, kPlan, {"depth",      "starts",      "reservations", "instants",     "limits",
                                     "window",     "whole_nodes", "busy_nodes",   "tries_shared", "resolution",
                                     "end_window", "end_step",    "ends_aligned", "may_start",    "refusals_stay",
                                     "may_hold",   "counts_as",   "preempts",     "partitions",   "largest_sizes"},
                [&](const options::Option& o) {
                  const auto function = [&](int place, bool& given) {
                    if (!lua_isfunction(L, -1)) o.fail("a function of a waiting job");
                    lua_pushvalue(L, -1);
                    lua_replace(L, place);
                    given = true;
                  };
                  if (o.is("depth")) plan.depth = o.count();
                  else if (o.is("starts")) plan.starts = o.count();
                  else if (o.is("reservations")) plan.reservations = o.count();
                  else if (o.is("instants")) plan.instants = o.count();
                  else if (o.is("limits")) plan.limits = limits_of(L, o);
                  else if (o.is("window")) plan.horizon = later(view.now(), o.span());
                  else if (o.is("busy_nodes")) plan.busy_nodes = o.flag();
                  else if (o.is("tries_shared")) plan.tries_shared = o.flag();
                  else if (o.is("resolution")) plan.resolution = o.span();
                  else if (o.is("end_window")) plan.ends.first = o.span();
                  else if (o.is("end_step")) plan.ends.step = o.span();
                  else if (o.is("ends_aligned")) plan.ends.aligned = o.flag();
                  else if (o.is("may_start")) function(kMayStart, functions.may_start);
                  else if (o.is("refusals_stay")) plan.refusals_stay = o.flag();
                  else if (o.is("may_hold")) function(kMayHold, functions.may_hold);
                  else if (o.is("counts_as")) function(kCountsAs, functions.counts_as);
                  else if (o.is("preempts")) function(kPreempts, functions.preempts);
                  else if (o.is("partitions")) function(kPartitions, functions.partitions);
                  else if (o.is("largest_sizes")) plan.largest_sizes = o.flag();
                  else if (o.flag()) plan.keeps = ReservationKeeps::kWholeNodes;
                });
  return plan;
}

/// What the list of tables at the top of the stack says of jobs that may be stopped for the waiting one; nil: nothing.
std::vector<PlanPreemption> preemptions(lua_State* L, ViewObject& object, View& view, JobIndex waiting) {
  std::vector<PlanPreemption> ways;
  if (lua_isnil(L, -1)) return ways;
  if (!lua_istable(L, -1)) raise(L, "preempts of {} is no list of options as those of view:preempt", kPlan);
  const int list = lua_gettop(L);
  const auto n = static_cast<lua_Integer>(lua_rawlen(L, list));
  for (lua_Integer i = 1; i <= n; ++i) {
    lua_rawgeti(L, list, i);
    const Preemption what = read_preemption(L, kPlan, list + 1);
    if (what.suspend) raise(L, "preempts of {}: jobs are not suspended in place for a plan", kPlan);
    PlanPreemption& way = ways.emplace_back();
    way.order = what.order;
    way.order.for_job = waiting;
    way.candidates = stoppable_jobs(L, object, view, what, waiting);
    if (way.candidates.empty()) ways.pop_back();
    lua_settop(L, list);
  }
  return ways;
}

/// What the list at the top of the stack says of partitions, { name = "batch", behind = 100 }; nil: nothing.
std::vector<PlanPartition> plan_partitions(lua_State* L, const MachineLayout& layout) {
  std::vector<PlanPartition> all;
  if (lua_isnil(L, -1)) return all;
  constexpr const char* kExpectedPartitions = "a list of partitions such as { name = \"batch\", behind = 100 }";
  if (!lua_istable(L, -1)) raise(L, "partitions of {} gave no list; expected {}", kPlan, kExpectedPartitions);
  const auto n = static_cast<lua_Integer>(lua_rawlen(L, -1));
  for (lua_Integer i = 1; i <= n; ++i) {
    lua_rawgeti(L, -1, i);
    if (!lua_istable(L, -1)) raise(L, "partitions of {} gave no list; expected {}", kPlan, kExpectedPartitions);
    PlanPartition& one = all.emplace_back();
    lua_getfield(L, -1, "name");
    const char* const name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    const auto at = std::ranges::find(layout.partitions, name, &Partition::name);
    if (at == layout.partitions.end()) raise(L, "partitions of {}: the machine has no partition '{}'", kPlan, name);
    one.partition = static_cast<std::int32_t>(at - layout.partitions.begin());
    lua_getfield(L, -2, "behind");
    one.behind = lua_tonumber(L, -1);
    lua_pop(L, 3);
  }
  return all;
}

/// view:plan(options?) -> integer
std::size_t plan(const DecidingCall& call) {
  lua_State* const L = call.L;
  ViewObject& object = call.object;
  View& view = call.view;
  if (view.reserved_count() != 0) raise(L, "view:plan is for queues without reservations");
  GivenFunctions functions;
  PlanOptions options = read_plan(L, view, functions);
  if (options.tries_shared && options.keeps != ReservationKeeps::kWholeNodes)
    raise(L, "view:plan: tries_shared is for plans with whole_nodes");
  if (functions.preempts &&
      (options.keeps != ReservationKeeps::kWholeNodes || options.resolution == Duration{0} || !options.ends.aligned))
    raise(L, "view:plan: preempts is for plans with whole_nodes, resolution and ends_aligned");
  if ((options.resolution > Duration{0} || options.ends.aligned) && object.calendar())
    options.day_begun = whole_seconds(calendar_date(*object.calendar(), Time{}).second_of_day);
  std::int32_t looked_in = -1;  // the partition of the entry that functions are asked about
  const auto ask = [&](int function, JobIndex j, auto&& answer_of) {
    const AskingOnly asking(object, view);
    if (options.largest_sizes && view.sizes_of(j) != nullptr) object.jobs().refresh_estimate(j);
    lua_pushvalue(L, function);
    object.jobs().push(L, j);
    if (looked_in < 0) lua_pushnil(L);
    else lua_pushstring(L, view.demands()->layout().partitions[static_cast<std::size_t>(looked_in)].name.c_str());
    lua_call(L, 2, 1);
    const auto answer = answer_of();
    lua_pop(L, 1);
    return answer;
  };
  const auto yes = [L] { return lua_toboolean(L, -1) != 0; };
  const auto count = [L] {
    const lua_Integer n = lua_isinteger(L, -1) != 0 ? lua_tointeger(L, -1) : 0;
    if (n < 1) raise(L, "counts_as of view:plan is not a whole number; expected at least 1");
    return static_cast<std::size_t>(n);
  };
  if (functions.may_start) options.may_start = [&](JobIndex j) { return ask(kMayStart, j, yes); };
  if (functions.may_hold) options.may_hold = [&](JobIndex j) { return ask(kMayHold, j, yes); };
  if (functions.counts_as) options.counts_as = [&](JobIndex j) { return ask(kCountsAs, j, count); };
  if (functions.preempts)
    options.preempts = [&](JobIndex j) { return ask(kPreempts, j, [&] { return preemptions(L, object, view, j); }); };
  if (functions.partitions && view.demands() != nullptr) {
    options.partitions = [&](JobIndex j) {
      looked_in = -1;
      return ask(kPartitions, j, [&] { return plan_partitions(L, view.demands()->layout()); });
    };
    options.looks_in = [&](std::int32_t partition) { looked_in = partition; };
  }
  luahost::charge(L, static_cast<std::int64_t>(std::min(options.depth, view.queue().size())));
  const PlanResult made = plan_in_order(view, options);
  if (made.stopped != 0) object.jobs_ended();
  object.hint(view.queue().first());
  return made.started;
}

}  // namespace

void add_plan_method(lua_State* L) { luahost::set_functions(L, {{"plan", luahost::acting<plan>}}); }

}  // namespace coslice

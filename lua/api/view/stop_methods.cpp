// The view's methods that stop running jobs, and refuse waiting ones or hold them back.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <lua.hpp>
#include <optional>
#include <unordered_map>
#include <vector>

#include "api/scripts/options.h"
#include "api/view/preemption_options.h"
#include "api/view/view_methods.h"
#include "api/view/view_object.h"
#include "host/guard.h"
#include "jobs/job_demands.h"
#include "schedule/observer.h"
#include "schedule/preemption.h"
#include "schedule/side_by_side.h"
#include "schedule/view.h"

namespace coslice {
namespace {

using Position = View::Position;

struct Deciding {
  explicit Deciding(lua_State* L) : object(view_object(L)), view(object.view(L)) { object.check_decides(L); }
  ViewObject& object;
  View& view;
};

Duration span_of(const options::Option& o) {
  const double s = o.number();
  if (!(s >= 0 && s <= kMaxSeconds)) o.fail("a span of time in seconds, of at least 0,");
  return from_seconds(s);
}

/// Takes what all methods have in common; false if it is another option.
bool take_stop_option(const options::Option& o, StopOrder& order) {
  if (o.is("grace")) order.grace = span_of(o);
  else if (o.is("cost")) order.checkpoint.cost = span_of(o);
  else if (o.is("restart")) order.checkpoint.restart = span_of(o);
  else return false;
  return true;
}

/// The cost of a checkpoint has a meaning only where one is written.
void check_costs(lua_State* L, const char* of, const StopOrder& order) {
  if (order.how == StopOrder::How::kCheckpoint) return;
  if (order.checkpoint.cost > Duration{0} || order.checkpoint.restart > Duration{0})
    luaL_error(L, "options 'cost' and 'restart' of %s are those of a checkpoint", of);
}

/// Under time slices a view has the jobs of one class.
bool is_of_view(const View& view, JobIndex j) {
  const SlicedHost* const slices = sliced_host(view);
  return slices == nullptr || slices->class_of(j) == slices->class_of(view);
}

/// A job that has been started and not ended.
StartedJob& started_job(lua_State* L, const Deciding& d) {
  const JobIndex j = d.object.jobs().index_of(L, 2);
  luahost::charge(L, static_cast<std::int64_t>(d.view.started().size()) / 8);
  StartedJob* const job = d.view.find_started(j);
  if (job == nullptr)
    luaL_error(L,
               is_of_view(d.view, j) ? "job %I is not running"
                                     : "job %I is of another class: a pass stops those of its own",
               static_cast<LUAI_UACINT>(d.view.job(j).id));
  if (job->nodes.empty())  // its start takes effect at the end of this instant
    luaL_error(L, "job %I starts at this instant and cannot be stopped yet",
               static_cast<LUAI_UACINT>(d.view.job(j).id));
  return *job;
}

StartedJob& running_job(lua_State* L, const Deciding& d) {
  StartedJob& job = started_job(L, d);
  if (job.phase == Phase::kSuspended)
    luaL_error(L, "job %I is suspended: it goes on when those end that run on its nodes, or with view:resume",
               static_cast<LUAI_UACINT>(d.view.job(job.index).id));
  return job;
}

/// view:requeue(job, { grace, checkpoint, cost, restart })
int requeue(lua_State* L) {
  Deciding d(L);
  StopOrder order;
  options::read(L, 3, "view:requeue", {"grace", "checkpoint", "cost", "restart"}, [&](const options::Option& o) {
    if (take_stop_option(o, order)) return;
    order.how = o.flag() ? StopOrder::How::kCheckpoint : StopOrder::How::kRequeue;
  });
  check_costs(L, "view:requeue", order);
  d.view.stop(running_job(L, d), order);
  d.object.jobs_ended();
  return 0;
}

/// view:kill(job, { grace })
int kill(lua_State* L) {
  Deciding d(L);
  StopOrder order;
  order.how = StopOrder::How::kCancel;
  options::read(L, 3, "view:kill", {"grace"}, [&](const options::Option& o) { take_stop_option(o, order); });
  d.view.stop(running_job(L, d), order);
  d.object.jobs_ended();
  return 0;
}

/// view:suspend(job)
int suspend(lua_State* L) {
  Deciding d(L);
  StartedJob& job = started_job(L, d);
  if (job.leaves != kNever)
    luaL_error(L, "job %I is about to stop and cannot be suspended",
               static_cast<LUAI_UACINT>(d.view.job(job.index).id));
  d.view.suspend(job);
  return 0;
}

/// view:resume(job)
int resume(lua_State* L) {
  Deciding d(L);
  d.view.go_on(started_job(L, d));
  return 0;
}

/// view:side_by_side(jobs, sure?) -> boolean[]
int side_by_side(lua_State* L) {
  ViewObject& object = view_object(L);
  View& view = object.view(L);
  luaL_checktype(L, 2, LUA_TTABLE);
  const lua_Integer sure = luaL_optinteger(L, 3, 0);
  if (sure < 0) return luaL_argerror(L, 3, "not a number of jobs");
  std::unordered_map<JobIndex, const StartedJob*> started;
  for (const StartedJob& job : view.started()) started.emplace(job.index, &job);
  const auto count = static_cast<lua_Integer>(lua_rawlen(L, 2));
  luahost::charge(L, static_cast<std::int64_t>(started.size()) + count);
  std::vector<const StartedJob*> jobs;
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(L, 2, i);
    const JobIndex j = object.jobs().index_of(L, lua_gettop(L));
    lua_pop(L, 1);
    const auto job = started.find(j);
    if (job == started.end()) return luaL_error(L, "job %I is not running", static_cast<LUAI_UACINT>(view.job(j).id));
    jobs.push_back(job->second);
    luahost::charge(L, static_cast<std::int64_t>(job->second->parts.size()));
  }
  const std::vector<bool> found = coslice::side_by_side(jobs, static_cast<std::size_t>(sure));
  lua_createtable(L, static_cast<int>(count), 0);
  for (std::size_t i = 0; i != found.size(); ++i) {
    lua_pushboolean(L, found[i] ? 1 : 0);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  return 1;
}

/// view:refuse(job, reason)
int refuse(lua_State* L) {
  Deciding d(L);
  const Position p = d.object.waiting_position(L, 2);
  std::size_t length = 0;
  const char* const text = luaL_checklstring(L, 3, &length);
  d.view.explain([&](DecisionObserver& o) { o.reasoned(d.view, d.view.queue().job(p), {text, length}); });
  d.view.refuse(p);
  return 0;
}

/// view:hold(job)
int hold(lua_State* L) {
  Deciding d(L);
  d.view.set_aside(d.object.waiting_position(L, 2));
  return 0;
}

/// view:release(job)
int release(lua_State* L) {
  Deciding d(L);
  const JobIndex j = d.object.jobs().index_of(L, 2);
  if (!d.view.host().is_aside(j)) luaL_error(L, "job %I is not held", static_cast<LUAI_UACINT>(d.view.job(j).id));
  d.view.release(j);
  return 0;
}

// --- preemption

using Rank = Preemption::Rank;

}  // namespace

Preemption read_preemption(lua_State* L, const char* of, int at) {
  Preemption what;
  lua_settop(L, at);
  lua_pushnil(L);
  lua_pushnil(L);
  what.among_at = at + 1;
  what.rank_at = at + 2;
  options::read(L, at, of, {"among", "rank", "how", "grace", "cost", "restart", "leaving"},
                [&](const options::Option& o) {
                  using How = StopOrder::How;
                  if (take_stop_option(o, what.order)) return;
                  if (o.is("leaving")) {
                    what.leaving = o.flag();
                    return;
                  }
                  if (o.is("how")) {
                    const auto i = static_cast<std::size_t>(o.choice({"requeue", "checkpoint", "kill", "suspend"}));
                    what.suspend = i == 3;
                    if (!what.suspend) what.order.how = std::array{How::kRequeue, How::kCheckpoint, How::kCancel}[i];
                  } else if (o.is("among")) {
                    if (!lua_isfunction(L, -1)) o.fail("a function of a running job");
                    lua_pushvalue(L, -1);
                    lua_replace(L, what.among_at);
                    what.among = true;
                  } else if (lua_isfunction(L, -1)) {
                    lua_pushvalue(L, -1);
                    lua_replace(L, what.rank_at);
                    what.rank = Rank::kFunction;
                  } else {
                    what.rank = static_cast<Rank>(o.choice({"least-lost", "newest", "fewest-nodes"}));
                  }
                });
  if (what.suspend && (what.order.grace > Duration{0} || what.order.checkpoint.cost > Duration{0} ||
                       what.order.checkpoint.restart > Duration{0}))
    luaL_error(L,
               "options 'grace', 'cost' and 'restart' of view:preempt are those of jobs that give up their nodes: with "
               "how = \"suspend\" they keep them");
  if (!what.suspend) check_costs(L, of, what.order);
  return what;
}

namespace {

struct Victim {
  JobIndex job;
  double rank;
};

void push_running(lua_State* L, ViewObject& object, const StartedJob& job) {
  object.jobs().push(L, job.index);
  JobTables::set_start(L, to_seconds(job.start));
}

double built_in_rank(Rank rank, const View& view, const StartedJob& job) {
  if (rank == Rank::kFewestNodes) return job.node_count;
  const double ran = to_seconds(view.wall_now() - job.start);
  if (rank == Rank::kNewest) return ran;
  const SlicedHost* const slices = sliced_host(view);  // there a job stands still at times
  return (slices == nullptr ? ran : to_seconds(slices->done(job))) * job.node_count;
}

/// Whether it could make way now.
bool may_stop(const View& view, const StartedJob& job, const Preemption& what) {
  if (what.suspend) return !view.host().lendable(job).empty();
  return (what.leaving || job.leaves == kNever) && !job.nodes.empty() && job.phase != Phase::kPreempted &&
         job.phase != Phase::kSuspended;
}

/// On a heterogeneous machine, those on which the waiting job could be; empty where that does not matter: nodes are
/// equal, or it needs licences, which jobs elsewhere may give back.
NodeSet useful_nodes(const View& view, JobIndex j) {
  if (view.demands() == nullptr) return NodeSet();
  const JobDemands& demands = *view.demands();
  if (!demands.request(j).licences.empty()) return NodeSet();
  NodeSet nodes(demands.layout().node_count());
  for (const std::int32_t unit : demands.demand(j)) nodes |= demands.nodes(demands.unit(unit));
  return nodes;
}

/// Whether jobs are stopping already to make way for that one.
bool room_is_made(const View& view, JobIndex j) {
  return std::any_of(view.started().begin(), view.started().end(),
                     [&](const StartedJob& job) { return job.leaves != kNever && job.leaves_for == j; });
}

}  // namespace

std::vector<StartedJob*> stoppable_jobs(lua_State* L, ViewObject& object, View& view, const Preemption& what,
                                        JobIndex waiting) {
  if (!what.leaving && room_is_made(view, waiting)) return {};
  const NodeSet useful = useful_nodes(view, waiting);
  std::vector<JobIndex> running;
  for (const StartedJob& job : view.started())
    if (useful.empty() || useful.intersects(job.nodes)) running.push_back(job.index);
  std::reverse(running.begin(), running.end());
  luahost::charge(L, static_cast<std::int64_t>(running.size()));
  std::vector<Victim> candidates;
  for (const JobIndex j : running) {
    const StartedJob* job = view.find_started(j);
    if (job == nullptr || !may_stop(view, *job, what)) continue;
    if (what.among) {
      lua_pushvalue(L, what.among_at);
      push_running(L, object, *job);
      lua_call(L, 1, 1);
      const bool may = lua_toboolean(L, -1) != 0;
      lua_pop(L, 1);
      if (!may) continue;
    }
    double rank = 0;
    if (job->phase == Phase::kSuspended) {
      rank = -std::numeric_limits<double>::infinity();
    } else if (what.rank == Rank::kFunction) {
      lua_pushvalue(L, what.rank_at);
      push_running(L, object, *job);
      lua_call(L, 1, 1);
      if (lua_type(L, -1) != LUA_TNUMBER || std::isnan(lua_tonumber(L, -1)))
        luaL_error(L, "option 'rank' of view:preempt: the function must return a number");
      rank = lua_tonumber(L, -1);
      lua_pop(L, 1);
    } else {
      rank = built_in_rank(what.rank, view, *job);
    }
    candidates.push_back({j, rank});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Victim& a, const Victim& b) { return a.rank < b.rank; });
  std::vector<StartedJob*> jobs;
  for (const Victim& c : candidates)
    if (StartedJob* const job = view.find_started(c.job)) jobs.push_back(job);
  return jobs;
}

namespace {

/// Whether it is the time of the view's jobs at all.
bool may_start_now(const View& view) {
  const SlicedHost* const slices = sliced_host(view);
  return slices != nullptr ? slices->is_open(view) : view.ceiling() > 0;
}

/// view:preempt(job, { among, rank, how, grace, cost, restart, leaving })
int preempt(lua_State* L) {
  Deciding d(L);
  Preemption what = read_preemption(L, "view:preempt", 3);
  const JobIndex j = d.view.queue().job(d.object.waiting_position(L, 2));
  const auto answer = [&](bool started, bool coming) {
    lua_pushboolean(L, started ? 1 : 0);
    lua_pushboolean(L, coming ? 1 : 0);
    return 2;
  };
  if (d.view.start_first(d.object.waiting_position(L, 2), StartReason::kPolicy)) return answer(true, false);
  if (!may_start_now(d.view)) return answer(false, false);
  if (!what.leaving && room_is_made(d.view, j)) return answer(false, true);
  const std::vector<StartedJob*> jobs = stoppable_jobs(L, d.object, d.view, what, j);
  if (jobs.empty()) return answer(false, false);
  d.view.unshield();
  if (what.suspend) {
    const std::vector<StartedJob*> lenders = choose_lenders(d.view, d.object.waiting_position(L, 2), jobs);
    if (!lenders.empty()) d.view.start_over(d.object.waiting_position(L, 2), lenders, StartReason::kPolicy);
    return answer(!lenders.empty(), false);
  }
  const std::vector<StartedJob*> victims = choose_victims(d.view, d.object.waiting_position(L, 2), jobs);
  if (victims.empty()) return answer(false, false);
  what.order.for_job = j;
  for (StartedJob* const job : victims) d.view.stop(*job, what.order);
  d.object.jobs_ended();
  const bool started = d.view.start_first(d.object.waiting_position(L, 2), StartReason::kPolicy);
  return answer(started, !started);
}

}  // namespace

void add_stop_methods(lua_State* L) {
  using luahost::guarded;
  const luaL_Reg methods[] = {{"requeue", guarded<requeue>},
                              {"kill", guarded<kill>},
                              {"suspend", guarded<suspend>},
                              {"resume", guarded<resume>},
                              {"side_by_side", guarded<side_by_side>},
                              {"refuse", guarded<refuse>},
                              {"hold", guarded<hold>},
                              {"release", guarded<release>},
                              {"preempt", guarded<preempt>},
                              {nullptr, nullptr}};
  luaL_setfuncs(L, methods, 0);
}

}  // namespace coslice

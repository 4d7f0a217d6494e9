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
#include "api/view/view_call.h"
#include "core/refusals.h"
#include "host/acting.h"
#include "jobs/job_demands.h"
#include "schedule/observer.h"
#include "schedule/preemption.h"
#include "schedule/side_by_side.h"
#include "schedule/view.h"

namespace coslice {
namespace {

using luahost::acting;
using luahost::bound;
using luahost::raise;

/// Takes what all methods have in common; false if it is another option.
bool take_stop_option(const options::Option& o, StopOrder& order) {
  if (o.is("grace")) order.grace = o.span();
  else if (o.is("cost")) order.checkpoint.cost = o.span();
  else if (o.is("restart")) order.checkpoint.restart = o.span();
  else return false;
  return true;
}

/// The cost of a checkpoint has a meaning only where one is written.
void check_costs(lua_State* L, const char* of, const StopOrder& order) {
  if (order.how == StopOrder::How::kCheckpoint) return;
  if (order.checkpoint.cost > Duration{0} || order.checkpoint.restart > Duration{0})
    raise(L, "options 'cost' and 'restart' of {} are those of a checkpoint", of);
}

/// Under time slices a view has the jobs of one class.
bool is_of_view(const View& view, JobIndex j) {
  const SlicedHost* const slices = sliced_host(view);
  return slices == nullptr || slices->class_of(j) == slices->class_of(view);
}

/// A job that has been started and not ended, also one of which the start takes effect at the end of this instant.
struct AnyStartedJob {
  AnyStartedJob(lua_State* L, const ViewCall& call, int index) {
    const JobIndex j = call.object.jobs().index_of(L, index);
    call.charge(std::ssize(call.view.started()) / 8);
    job = call.view.find_started(j);
    if (job == nullptr && !is_of_view(call.view, j))
      raise(L, "job {} is of another class: a pass stops those of its own", call.id(j));
    if (job == nullptr) raise(L, "job {} is not running", call.id(j));
  }
  StartedJob* job;
};

struct BegunJob : AnyStartedJob {
  BegunJob(lua_State* L, const ViewCall& call, int index) : AnyStartedJob(L, call, index) {
    if (job->nodes.empty()) raise(L, "job {} starts at this instant and cannot be stopped yet", call.id(job->index));
  }
};

/// One that is not suspended.
struct StoppableJob : BegunJob {
  StoppableJob(lua_State* L, const ViewCall& call, int index) : BegunJob(L, call, index) {
    if (job->phase == Phase::kSuspended)
      raise(L, "job {} is suspended: it goes on when those end that run on its nodes, or with view:resume",
            call.id(job->index));
  }
};

/// view:requeue(job, { grace, checkpoint, cost, restart })
void requeue(const DecidingCall& call, StoppableJob running) {
  StopOrder order;
  options::read(call.L, 3, "view:requeue", {"grace", "checkpoint", "cost", "restart"}, [&](const options::Option& o) {
    if (take_stop_option(o, order)) return;
    order.how = o.flag() ? StopOrder::How::kCheckpoint : StopOrder::How::kRequeue;
  });
  check_costs(call.L, "view:requeue", order);
  call.view.stop(*running.job, order);
  call.object.jobs_ended();
}

/// view:kill(job, { grace })
void kill(const DecidingCall& call, StoppableJob running) {
  StopOrder order;
  order.how = StopOrder::How::kCancel;
  options::read(call.L, 3, "view:kill", {"grace"}, [&](const options::Option& o) { take_stop_option(o, order); });
  call.view.stop(*running.job, order);
  call.object.jobs_ended();
}

/// view:suspend(job)
void suspend(const DecidingCall& call, BegunJob begun) {
  if (begun.job->leaves != kNever)
    raise(call.L, "job {} is about to stop and cannot be suspended", call.id(begun.job->index));
  call.view.suspend(*begun.job);
}

/// view:resume(job)
void resume(const DecidingCall& call, AnyStartedJob started) { call.view.go_on(*started.job); }

/// A list of jobs, which stays on the stack.
struct JobList {
  JobList(lua_State* L, const ViewCall& /*call*/, int index) : at(index) { luaL_checktype(L, index, LUA_TTABLE); }
  int at;
};

/// view:side_by_side(jobs, sure?) -> boolean[]
std::vector<bool> beside_one_another(const ViewCall& call, JobList list, std::optional<lua_Integer> sure) {
  lua_State* const L = call.L;
  if (sure && *sure < 0) luaL_argerror(L, 3, "not a number of jobs");
  std::unordered_map<JobIndex, const StartedJob*> started;
  for (const StartedJob& job : call.view.started()) started.emplace(job.index, &job);
  const auto count = static_cast<lua_Integer>(lua_rawlen(L, list.at));
  call.charge(std::ssize(started) + count);
  std::vector<const StartedJob*> jobs;
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(L, list.at, i);
    const JobIndex j = call.object.jobs().index_of(L, lua_gettop(L));
    lua_pop(L, 1);
    const auto job = started.find(j);
    if (job == started.end()) raise(L, "job {} is not running", call.id(j));
    jobs.push_back(job->second);
    call.charge(std::ssize(job->second->parts));
  }
  return coslice::side_by_side(jobs, static_cast<std::size_t>(sure.value_or(0)));
}

/// view:refuse(job, reason)
void refuse(const DecidingCall& call, WaitingJob p, std::string_view reason) {
  call.view.explain([&](DecisionObserver& o) { o.reasoned(call.view, call.queue().job(p), reason); });
  call.view.refuse(p);
}

/// view:hold(job)
void hold(const DecidingCall& call, WaitingJob p) { call.view.set_aside(p); }

/// view:release(job)
void release(const DecidingCall& call, AnyJob job) {
  if (!call.view.host().is_aside(job)) raise(call.L, "job {} is not held", call.id(job));
  call.view.release(job);
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
    raise(L,
          "options 'grace', 'cost' and 'restart' of view:preempt are those of jobs that give up their nodes: with how "
          "= \"suspend\" they keep them");
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
  const AskingOnly asking(object, view);
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
        raise(L, "option 'rank' of view:preempt: the function must return a number");
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

/// view:preempt(job, { among, rank, how, grace, cost, restart, leaving }) -> boolean, boolean
/// Whether the job has started, and whether room for it is being made.
std::tuple<bool, bool> preempt(const DecidingCall& call) {
  lua_State* const L = call.L;
  View& view = call.view;
  Preemption what = read_preemption(L, "view:preempt", 3);
  const auto position = [&] { return call.object.waiting_position(L, 2); };
  const JobIndex j = call.queue().job(position());
  if (view.start_first(position(), StartReason::kPolicy)) return {true, false};
  if (!may_start_now(view)) return {false, false};
  if (!what.leaving && room_is_made(view, j)) return {false, true};
  const std::vector<StartedJob*> jobs = [&] {
    try {
      return stoppable_jobs(L, call.object, view, what, j);
    } catch (const RefusedError& e) {  // at the line that asks for it
      luaL_where(L, 1);
      throw RefusedError(lua_tostring(L, -1) + std::string(e.what()));
    }
  }();
  if (jobs.empty()) return {false, false};
  view.unshield();
  if (what.suspend) {
    const std::vector<StartedJob*> lenders = choose_lenders(view, position(), jobs);
    if (!lenders.empty()) view.start_over(position(), lenders, StartReason::kPolicy);
    return {!lenders.empty(), false};
  }
  const std::vector<StartedJob*> victims = choose_victims(view, position(), jobs);
  if (victims.empty()) return {false, false};
  what.order.for_job = j;
  for (StartedJob* const job : victims) view.stop(*job, what.order);
  call.object.jobs_ended();
  const bool started = view.start_first(position(), StartReason::kPolicy);
  return {started, !started};
}

}  // namespace

void add_stop_methods(lua_State* L) {
  luahost::set_functions(L, {{"requeue", acting<requeue>},
                             {"kill", acting<kill>},
                             {"suspend", acting<suspend>},
                             {"resume", acting<resume>},
                             {"side_by_side", bound<beside_one_another>},
                             {"refuse", acting<refuse>},
                             {"hold", acting<hold>},
                             {"release", acting<release>},
                             {"preempt", acting<preempt>}});
}

}  // namespace coslice

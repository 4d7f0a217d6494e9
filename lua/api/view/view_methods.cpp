#include "api/view/view_methods.h"

#include <cmath>
#include <limits>
#include <vector>

#include <lua.hpp>

#include "api/scripts/options.h"
#include "api/view/place_option.h"
#include "api/view/view_call.h"
#include "availability/shared_node_availability.h"
#include "core/time.h"
#include "host/acting.h"
#include "jobs/waiting_queue.h"
#include "schedule/conservative_backfill.h"
#include "schedule/easy_backfill.h"
#include "schedule/observer.h"

namespace coslice {
namespace {

using luahost::acting;
using luahost::bound;
using luahost::Pushed;
using luahost::raise;
using Position = View::Position;

// --- iterators: for job in view:waiting() do. Upvalues: the view, the next position.

/// The step of the loop that view:waiting(after?) returns.
AnyJob next_waiting(Loop& loop) {
  Position p = loop.next();
  while (p < loop.queue.end() && !loop.queue.live(p)) ++p;
  loop.go_on_at(p + 1);
  loop.object.hint(p);
  return AnyJob::at(loop, p);
}

/// view:waiting(after?) -> fun(): Job?
Pushed waiting(const ViewCall& call, std::optional<WaitingJob> after) {
  return push_loop<next_waiting>(call, after ? *after + 1 : call.queue().first());
}

/// The step of the loop that view:running() returns.
int next_running(lua_State* L) {
  const lua_Integer i = lua_tointeger(L, lua_upvalueindex(2)) + 1;
  lua_pushinteger(L, i);
  lua_replace(L, lua_upvalueindex(2));
  lua_rawgeti(L, lua_upvalueindex(1), i);
  return 1;
}

/// view:running() -> fun(): Job?
/// The list is taken when the loop begins: starting jobs in the loop does not disturb it.
Pushed running(const ViewCall& call) {
  lua_State* const L = call.L;
  call.charge(std::ssize(call.view.started()));
  luahost::push_list(L, call.view.started(), [&](const StartedJob& job) {
    call.object.jobs().push(L, job.index);
    JobTables::set_start(L, to_seconds(job.start));
  });
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, next_running, 2);
  return {};
}

/// view:head() -> Job?
AnyJob head(const ViewCall& call) { return AnyJob::at(call, call.queue().first()); }

// --- questions

/// view:fits(job, place?) -> boolean
bool job_fits(const ViewCall& call, WaitingJob p) {
  const Directed place(3, call, "view:fits");
  return call.view.fits_now(p);
}

/// view:earliest(job, after?) -> Slot
Instant earliest(const ViewCall& call, WaitingJob p, std::optional<Instant> after) {
  return call.view.earliest(p, std::max<Time>(call.view.now(), after.value_or(call.view.now())));
}

/// view:earlier(job) -> Slot?
std::optional<Instant> earlier(const ViewCall& call, WaitingJob p) {
  const Time old = call.queue().reserved(p);
  if (old == kNever || old <= call.view.now()) return {};
  const Time t = call.view.earlier(p);
  return t == kNever ? std::nullopt : std::optional<Instant>(t);
}

/// view:forecast(job) -> number
double forecast(const ViewCall& call, WaitingJob p) {
  call.charge(std::ssize(call.queue()));
  const Time end = call.view.wall_time_after(call.view.forecast(p) - call.view.now());
  return to_seconds(end - call.view.wall_now());
}

/// view:reservation(job) -> Slot?
std::optional<Instant> reservation(const ViewCall& call, WaitingJob p) {
  const Time t = call.queue().reserved(p);
  return t == kNever ? std::nullopt : std::optional<Instant>(t);
}

/// view:shadow(job) -> Slot, integer
std::tuple<Instant, std::int32_t> shadow(const ViewCall& call, WaitingJob p) {
  const EasyHole hole = call.view.hole(p);
  call.view.explain([&](DecisionObserver& o) { o.blocked(call.view, p, hole.shadow, hole.extra, call.queue().end()); });
  return {hole.shadow, hole.extra};
}

/// view:ends_by(job, slot) -> boolean
bool ends_by(const ViewCall& call, WaitingJob p, Instant slot) {
  return later(call.view.now(), call.queue().duration(p)) <= slot.t;
}

/// view:later(slot, seconds) -> Slot
Instant later_slot(const ViewCall& call, Instant slot, double span) {
  if (!(span >= 0 && span <= kMaxSeconds))
    luaL_argerror(call.L, 3, "not a span of time; expected seconds from 0 to 1e9");
  return later(slot, from_seconds(span));
}

// --- decisions

/// view:start(job, place?)
void start(const DecidingCall& call, WaitingJob p) {
  lua_State* const L = call.L;
  const WaitingQueue& queue = call.queue();
  View& view = call.view;
  const Time reserved = queue.reserved(p);
  const std::int64_t id = call.id(queue.job(p));
  const Directed place(3, call, "view:start");
  if (place.given() && reserved != kNever)
    raise(L, "job {} has a reservation, which says where it starts; unreserve it first", id);
  if (place.given() && !view.fits_now(p)) raise(L, "job {} cannot start there now", id);
  if (reserved == kNever && !view.fits_now(p)) {
    if (!view.available().by_count())
      raise(L, "job {} cannot start now: too few of the nodes that it may have have room for it until its expected end",
            id);
    raise(L, "job {} cannot start now: it needs {} nodes for its whole estimate, {} are free now", id, queue.nodes(p),
          view.free_now());
  }
  if (reserved != kNever && reserved != view.now())
    raise(L, "job {} is reserved for another time; unreserve it first", id);
  if (queue.nodes(p) > view.ceiling())
    raise(L, "job {} cannot start now: only {} of its {} reserved nodes are available", id, view.ceiling(),
          queue.nodes(p));
  view.start(p, StartReason::kPolicy);
}

/// view:start_in_order() -> Job?
AnyJob start_all_in_order(const DecidingCall& call) { return AnyJob::at(call, start_in_order(call.view)); }

/// view:reserve(job, slot, options?)
void reserve(const DecidingCall& call, WaitingJob p, Instant slot) {
  View& view = call.view;
  const Time old = call.queue().reserved(p);
  const std::int64_t id = call.id(call.queue().job(p));
  if (slot.t == kNever) raise(call.L, "job {} can never fit", id);
  if (slot.t < view.now()) raise(call.L, "the slot lies in the past");
  ReservationKeeps keeps = ReservationKeeps::kAskedFor;
  options::read(call.L, 4, "view:reserve", {"whole_nodes"}, [&](const options::Option& o) {
    if (o.flag()) keeps = ReservationKeeps::kWholeNodes;
  });
  view.unreserve(p);
  if (!view.fits_at(p, slot)) {
    if (old != kNever) view.reserve(p, old);
    raise(call.L, "job {} does not fit in that slot", id);
  }
  view.reserve(p, slot, keeps);
  view.reserved_late();
}

/// view:unreserve(job)
void unreserve(const DecidingCall& call, WaitingJob p) {
  call.view.unreserve(p);
  call.object.gave_up_reservation();
}

/// view:start_due()
void start_all_due(const DecidingCall& call) {
  if (call.object.pass().due) start_due(call.view);
}

/// view:easy(options?)
void easy(const DecidingCall& call) {
  EasyOptions easy;
  options::read(call.L, 2, "view:easy", {"reservations", "depth", "queues"}, [&](const options::Option& o) {
    if (o.is("reservations")) easy.reservations = o.count();
    else if (o.is("queues")) easy.by_partition = o.choice({"one", "partition"}) == 1;
    else easy.depth = o.count();
  });
  EasyBackfill(easy).schedule(call.view, call.object.pass());
}

/// view:conservative(options?)
void conservative(const DecidingCall& call) {
  CompressOrder order = CompressOrder::kQueue;
  options::read(call.L, 2, "view:conservative", {"compress"}, [&](const options::Option& o) {
    if (o.choice({"queue", "start"}) == 1) order = CompressOrder::kReservedStart;
  });
  call.object.conservative().set_order(order);
  Pass pass = call.object.pass();
  pass.submitted = pass.submitted || call.object.take_given_up();  // those wait as if they had just come
  call.object.conservative().schedule(call.view, pass);
}

/// view:keep_reservations(compress?)
void keep_reservations(const DecidingCall& call) {
  static const char* const orders[] = {"queue", "start", nullptr};
  const bool by_queue = luaL_checkoption(call.L, 2, "start", orders) == 0;
  call.object.conservative().set_order(by_queue ? CompressOrder::kQueue : CompressOrder::kReservedStart);
  Pass pass = call.object.pass();
  pass.submitted = true;  // also those whose reservation was given back
  call.object.conservative().keep(call.view, pass);
}

constexpr double kEndOfTime = 9.2e9;  ///< s: what nanoseconds can count

/// What may be said as a slot or in seconds; nothing if no run gets there.
std::optional<Time> instant_at(const ViewCall& call, int index) {
  if (is_slot(call.L, index)) return check_slot(call.L, index);
  const double t = luaL_checknumber(call.L, index);
  if (std::isnan(t)) luaL_argerror(call.L, index, "not a time; expected seconds");
  if (t > kEndOfTime) return {};
  if (at_seconds(std::max(t, -kEndOfTime)) <= call.view.now())
    luaL_argerror(call.L, index, "the time is not after now");
  return at_seconds(t);
}

/// view:closed(job, from, seconds?) -> integer[]?, number?
/// Nothing where none is.
std::optional<std::tuple<std::vector<NodeId>, double>> closed(const ViewCall& call, WaitingJob p, double from,
                                                              std::optional<double> seconds) {
  const JobDemands& demands = demands_of(call.L, call.view, "view:closed");
  check_directs(call.L, call.view, "view:closed");
  if (std::isnan(from)) luaL_argerror(call.L, 3, "not a time; expected seconds");
  if (seconds && !(*seconds >= 0)) luaL_argerror(call.L, 4, "not a span of time; expected seconds, at least 0");
  const auto& ledger = static_cast<const SharedNodeAvailability&>(call.view.available());  // those direct
  const Time begin = std::max<Time>(call.view.now(), at_seconds(std::clamp(from, -kEndOfTime, kEndOfTime)));
  const Time end = later(begin, seconds ? from_seconds(std::min(*seconds, kEndOfTime)) : call.queue().duration(p));
  NodeSet could(demands.layout().node_count()), open(demands.layout().node_count());
  Time opens = kNever;
  for (const std::int32_t unit : demands.demand(call.queue().job(p))) {
    could |= demands.nodes(demands.unit(unit));
    open |= ledger.open_between(unit, begin, end, opens);
  }
  for (const StartedJob& down : call.view.down()) {
    if (down.expected_end <= begin || !could.intersects(down.nodes)) continue;
    open.erase(down.nodes);
    opens = std::min(opens, down.expected_end);
  }
  could -= open;
  call.charge(8 + could.count());
  if (could.count() == 0) return {};
  std::vector<NodeId> nodes;
  for_each_node(could.ranges(), [&](NodeId n) { nodes.push_back(n); });
  return {{nodes, opens == kNever ? std::numeric_limits<double>::infinity() : to_seconds(opens)}};
}

/// view:wake(when, what?)
void wake(const ViewCall& call) {
  call.object.check_may_act(call.L);
  const std::optional<Time> t = instant_at(call, 2);
  if (!t) return;
  call.view.wake_at(*t);
  const auto what = luahost::argument<std::optional<std::string_view>>(call.L, call, 3);
  call.view.explain([&](DecisionObserver& o) { o.wakes(call.view, *t, what.value_or(std::string_view())); });
}

}  // namespace

void push_view_methods(lua_State* L) {
  lua_createtable(L, 0, 64);
  luahost::set_functions(L, {{"waiting", bound<waiting>},
                             {"running", bound<running>},
                             {"head", bound<head>},
                             {"fits", bound<job_fits>},
                             {"closed", bound<closed>},
                             {"start", acting<start>},
                             {"start_in_order", acting<start_all_in_order>},
                             {"earliest", bound<earliest>},
                             {"earlier", bound<earlier>},
                             {"forecast", bound<forecast>},
                             {"reserve", acting<reserve>},
                             {"unreserve", acting<unreserve>},
                             {"reservation", bound<reservation>},
                             {"shadow", bound<shadow>},
                             {"ends_by", bound<ends_by>},
                             {"later", bound<later_slot>},
                             {"start_due", acting<start_all_due>},
                             {"easy", acting<easy>},
                             {"conservative", acting<conservative>},
                             {"keep_reservations", acting<keep_reservations>},
                             {"wake", bound<wake>}});
}

}  // namespace coslice

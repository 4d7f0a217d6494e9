#include "api/view/view_methods.h"

#include <cmath>
#include <lua.hpp>

#include "api/scripts/options.h"
#include "api/view/place_option.h"
#include "api/view/slot.h"
#include "api/view/view_object.h"
#include "core/time.h"
#include "host/guard.h"
#include "jobs/job_sizes.h"
#include "jobs/waiting_queue.h"
#include "schedule/conservative_backfill.h"
#include "schedule/easy_backfill.h"
#include "schedule/observer.h"

namespace coslice {
namespace {

using Position = View::Position;

/// What a method works on; raises an error outside of a hook.
struct Subject {
  explicit Subject(lua_State* L) : Subject(L, view_object(L)) {}
  Subject(lua_State* L, ViewObject& o) : object(o), view(o.view(L)), queue(view.queue()) {}
  ViewObject& object;
  View& view;
  const WaitingQueue& queue;
};

int push_job_or_nil(lua_State* L, const Subject& s, Position p) {
  if (p < s.queue.end()) s.object.jobs().push(L, s.queue.job(p));
  else lua_pushnil(L);
  return 1;
}

lua_Integer job_number(const Subject& s, Position p) { return s.view.job(s.queue.job(p)).id; }

// --- iterators: for job in view:waiting() do. Upvalues: the view, the next position.

/// The step of the loop that view:waiting(after?) returns.
int next_waiting(lua_State* L) {
  Subject s(L, own_view(L));
  auto p = static_cast<Position>(lua_tointeger(L, lua_upvalueindex(2)));
  while (p < s.queue.end() && !s.queue.live(p)) ++p;
  lua_pushinteger(L, static_cast<lua_Integer>(p) + 1);
  lua_replace(L, lua_upvalueindex(2));
  s.object.hint(p);
  return push_job_or_nil(L, s, p);
}

/// view:waiting(after?) -> fun(): Job?
int waiting(lua_State* L) {
  Subject s(L);
  const Position from = lua_isnoneornil(L, 2) ? s.queue.first() : s.object.waiting_position(L, 2) + 1;
  lua_pushvalue(L, 1);
  lua_pushinteger(L, static_cast<lua_Integer>(from));
  lua_pushcclosure(L, luahost::guarded<next_waiting>, 2);
  return 1;
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
int running(lua_State* L) {
  Subject s(L);
  lua_newtable(L);
  lua_Integer n = 0;
  luahost::charge(L, static_cast<std::int64_t>(s.view.started().size()));
  for (const StartedJob& job : s.view.started()) {
    s.object.jobs().push(L, job.index);
    JobTables::set_start(L, to_seconds(job.start));
    lua_rawseti(L, -2, ++n);
  }
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, next_running, 2);
  return 1;
}

/// view:head() -> Job?
int head(lua_State* L) {
  const Subject s(L);
  return push_job_or_nil(L, s, s.queue.first());
}

// --- questions

/// view:fits(job, place?) -> boolean
int fits(lua_State* L) {
  Subject s(L);
  const Position p = s.object.waiting_position(L, 2);
  const Directed place(L, 3, s.object, s.view, "view:fits");
  lua_pushboolean(L, s.view.fits_now(p) ? 1 : 0);
  return 1;
}

Time earliest_for(const Subject& s, Position p, Time after) { return s.view.earliest(p, after); }

/// view:earliest(job, after?) -> Slot
int earliest(lua_State* L) {
  Subject s(L);
  const Position p = s.object.waiting_position(L, 2);
  Time after = lua_isnoneornil(L, 3) ? s.view.now() : check_slot(L, 3);
  if (after < s.view.now()) after = s.view.now();
  push_slot(L, s.object.slots(), earliest_for(s, p, after));
  return 1;
}

/// view:earlier(job) -> Slot?
int earlier(lua_State* L) {
  Subject s(L);
  const Position p = s.object.waiting_position(L, 2);
  const Time old = s.queue.reserved(p);
  if (old == kNever || old <= s.view.now()) return 0;
  const Time t = s.view.earlier(p);
  if (t == kNever) return 0;
  push_slot(L, s.object.slots(), t);
  return 1;
}

/// view:forecast(job) -> number
int forecast(lua_State* L) {
  Subject s(L);
  const Position p = s.object.waiting_position(L, 2);
  luahost::charge(L, static_cast<std::int64_t>(s.queue.size()));
  const Time end = s.view.wall_time_after(s.view.forecast(p) - s.view.now());
  lua_pushnumber(L, to_seconds(end - s.view.wall_now()));
  return 1;
}

/// view:reservation(job) -> Slot?
int reservation(lua_State* L) {
  Subject s(L);
  const Time t = s.queue.reserved(s.object.waiting_position(L, 2));
  if (t == kNever) return 0;
  push_slot(L, s.object.slots(), t);
  return 1;
}

/// view:shadow(job) -> Slot, integer
int shadow(lua_State* L) {
  Subject s(L);
  const Position p = s.object.waiting_position(L, 2);
  const EasyHole hole = s.view.hole(p);
  push_slot(L, s.object.slots(), hole.shadow);
  s.view.explain([&](DecisionObserver& o) { o.blocked(s.view, p, hole.shadow, hole.extra, s.queue.end()); });
  lua_pushinteger(L, hole.extra);
  return 2;
}

/// view:ends_by(job, slot) -> boolean
int ends_by(lua_State* L) {
  Subject s(L);
  const Position p = s.object.waiting_position(L, 2);
  lua_pushboolean(L, later(s.view.now(), s.queue.duration(p)) <= check_slot(L, 3) ? 1 : 0);
  return 1;
}

/// view:later(slot, seconds) -> Slot
int later_slot(lua_State* L) {
  const Subject s(L);
  const Time t = check_slot(L, 2);
  const double span = luaL_checknumber(L, 3);
  if (!(span >= 0 && span <= kMaxSeconds))
    return luaL_argerror(L, 3, "not a span of time; expected seconds from 0 to 1e9");
  push_slot(L, s.object.slots(), later(t, from_seconds(span)));
  return 1;
}

// --- decisions

/// What a deciding method works on; raises an error in hooks that may only ask.
struct Decision : Subject {
  explicit Decision(lua_State* L) : Subject(L) { object.check_decides(L); }
};

/// view:start(job, place?)
int start(lua_State* L) {
  Decision s(L);
  const Position p = s.object.waiting_position(L, 2);
  const Time reserved = s.queue.reserved(p);
  const Directed place(L, 3, s.object, s.view, "view:start");
  if (place.given() && reserved != kNever)
    return luaL_error(L, "job %I has a reservation, which says where it starts; unreserve it first",
                      static_cast<LUAI_UACINT>(job_number(s, p)));
  if (place.given() && !s.view.fits_now(p))
    return luaL_error(L, "job %I cannot start there now", static_cast<LUAI_UACINT>(job_number(s, p)));
  if (reserved == kNever && !s.view.fits_now(p)) {
    if (!s.view.available().by_count())
      return luaL_error(L,
                        "job %I cannot start now: too few of the nodes that it may have have room for it until its "
                        "expected end",
                        static_cast<LUAI_UACINT>(job_number(s, p)));
    return luaL_error(L, "job %I cannot start now: it needs %d nodes for its whole estimate, %d are free now",
                      static_cast<LUAI_UACINT>(job_number(s, p)), static_cast<int>(s.queue.nodes(p)),
                      static_cast<int>(s.view.free_now()));
  }
  if (reserved != kNever && reserved != s.view.now()) {
    return luaL_error(L, "job %I is reserved for another time; unreserve it first",
                      static_cast<LUAI_UACINT>(job_number(s, p)));
  }
  if (s.queue.nodes(p) > s.view.ceiling()) {
    return luaL_error(L, "job %I cannot start now: only %d of its %d reserved nodes are available",
                      static_cast<LUAI_UACINT>(job_number(s, p)), static_cast<int>(s.view.ceiling()),
                      static_cast<int>(s.queue.nodes(p)));
  }
  s.view.start(p, StartReason::kPolicy);
  return 0;
}

/// view:sizes(job) -> { nodes: integer, limit: number }[]?
/// The moldable job's sizes, a list of { nodes, limit }; nil for other jobs, and for those that have been started.
int sizes(lua_State* L) {
  Subject s(L);
  const Position p = s.object.waiting_position(L, 2);
  const std::vector<JobSize>* const all = s.view.sizes_of(s.queue.job(p));
  if (all == nullptr) {
    lua_pushnil(L);
    return 1;
  }
  lua_createtable(L, static_cast<int>(all->size()), 0);
  for (std::size_t i = 0; i != all->size(); ++i) {
    lua_createtable(L, 0, 2);
    lua_pushinteger(L, (*all)[i].nodes);
    lua_setfield(L, -2, "nodes");
    lua_pushnumber(L, to_seconds((*all)[i].limit));
    lua_setfield(L, -2, "limit");
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  return 1;
}

/// view:set_nodes(job, nodes)
int set_nodes(lua_State* L) {
  Decision s(L);
  const Position p = s.object.waiting_position(L, 2);
  const lua_Integer nodes = luaL_checkinteger(L, 3);
  const std::vector<JobSize>* const all = s.view.sizes_of(s.queue.job(p));
  if (all == nullptr) return luaL_error(L, "job %I has one size only", static_cast<LUAI_UACINT>(job_number(s, p)));
  std::size_t i = 0;
  while (i != all->size() && (*all)[i].nodes != nodes) ++i;
  if (i == all->size())
    return luaL_error(L, "job %I has no size of %I nodes", static_cast<LUAI_UACINT>(job_number(s, p)),
                      static_cast<LUAI_UACINT>(nodes));
  s.view.set_size(p, i);
  return 0;
}

/// view:start_in_order() -> Job?
int start_all_in_order(lua_State* L) {
  Decision s(L);
  const Position p = start_in_order(s.view);
  return push_job_or_nil(L, s, p);
}

/// view:reserve(job, slot, options?)
int reserve(lua_State* L) {
  Decision s(L);
  const Position p = s.object.waiting_position(L, 2);
  const Time t = check_slot(L, 3);
  const Time old = s.queue.reserved(p);
  if (t == kNever) return luaL_error(L, "job %I can never fit", static_cast<LUAI_UACINT>(job_number(s, p)));
  if (t < s.view.now()) return luaL_error(L, "the slot lies in the past");
  ReservationKeeps keeps = ReservationKeeps::kAskedFor;
  if (!lua_isnoneornil(L, 4)) {
    options::read(L, 4, "view:reserve", {"whole_nodes"}, [&](const options::Option& o) {
      if (o.flag()) keeps = ReservationKeeps::kWholeNodes;
    });
  }
  s.view.unreserve(p);
  if (!s.view.fits_at(p, t)) {
    if (old != kNever) s.view.reserve(p, old);
    return luaL_error(L, "job %I does not fit in that slot", static_cast<LUAI_UACINT>(job_number(s, p)));
  }
  s.view.reserve(p, t, keeps);
  s.view.reserved_late();
  return 0;
}

/// view:unreserve(job)
int unreserve(lua_State* L) {
  Decision s(L);
  s.view.unreserve(s.object.waiting_position(L, 2));
  return 0;
}

/// view:start_due()
int start_all_due(lua_State* L) {
  Decision s(L);
  if (s.object.pass().due) start_due(s.view);
  return 0;
}

/// view:easy(options?)
int easy(lua_State* L) {
  Decision s(L);
  EasyOptions easy;
  options::read(L, 2, "view:easy", {"reservations", "depth", "queues"}, [&](const options::Option& o) {
    if (o.is("reservations")) easy.reservations = o.count();
    else if (o.is("queues")) easy.by_partition = o.choice({"one", "partition"}) == 1;
    else easy.depth = o.count();
  });
  EasyBackfill(easy).schedule(s.view, s.object.pass());
  return 0;
}

/// view:conservative(options?)
int conservative(lua_State* L) {
  Decision s(L);
  CompressOrder order = CompressOrder::kQueue;
  options::read(L, 2, "view:conservative", {"compress"}, [&](const options::Option& o) {
    if (o.choice({"queue", "start"}) == 1) order = CompressOrder::kReservedStart;
  });
  s.object.conservative().set_order(order);
  s.object.conservative().schedule(s.view, s.object.pass());
  return 0;
}

/// view:keep_reservations(compress?)
int keep_reservations(lua_State* L) {
  Decision s(L);
  CompressOrder order = CompressOrder::kReservedStart;
  if (!lua_isnoneornil(L, 2)) {
    static const char* const orders[] = {"queue", "start", nullptr};
    if (luaL_checkoption(L, 2, "start", orders) == 0) order = CompressOrder::kQueue;
  }
  s.object.conservative().set_order(order);
  Pass pass = s.object.pass();
  pass.submitted = true;  // also those whose reservation was given back
  s.object.conservative().keep(s.view, pass);
  return 0;
}

/// view:wake(when, what?)
int wake(lua_State* L) {
  Subject s(L);
  const auto at = [&](Time t) {
    s.view.wake_at(t);
    std::size_t length = 0;
    if (const char* what = luaL_optlstring(L, 3, nullptr, &length))
      s.view.explain([&](DecisionObserver& o) { o.wakes(s.view, t, {what, length}); });
    return 0;
  };
  if (is_slot(L, 2)) return at(check_slot(L, 2));
  const double t = luaL_checknumber(L, 2);
  constexpr double kEndOfTime = 9.2e9;  // what nanoseconds can count; no run gets there
  if (std::isnan(t)) return luaL_argerror(L, 2, "not a time; expected seconds");
  if (t > kEndOfTime) return 0;
  if (at_seconds(std::max(t, -kEndOfTime)) <= s.view.now()) return luaL_argerror(L, 2, "the time is not after now");
  return at(at_seconds(t));
}

}  // namespace

void push_view_methods(lua_State* L) {
  using luahost::guarded;
  const luaL_Reg methods[] = {{"waiting", guarded<waiting>},
                              {"running", guarded<running>},
                              {"head", guarded<head>},
                              {"fits", guarded<fits>},
                              {"start", guarded<start>},
                              {"sizes", guarded<sizes>},
                              {"set_nodes", guarded<set_nodes>},
                              {"start_in_order", guarded<start_all_in_order>},
                              {"earliest", guarded<earliest>},
                              {"earlier", guarded<earlier>},
                              {"forecast", guarded<forecast>},
                              {"reserve", guarded<reserve>},
                              {"unreserve", guarded<unreserve>},
                              {"reservation", guarded<reservation>},
                              {"shadow", guarded<shadow>},
                              {"ends_by", guarded<ends_by>},
                              {"later", guarded<later_slot>},
                              {"start_due", guarded<start_all_due>},
                              {"easy", guarded<easy>},
                              {"conservative", guarded<conservative>},
                              {"keep_reservations", guarded<keep_reservations>},
                              {"wake", guarded<wake>},
                              {nullptr, nullptr}};
  luaL_newlib(L, methods);
}

}  // namespace coslice

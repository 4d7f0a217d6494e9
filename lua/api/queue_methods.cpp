// The view's methods for the order of the queue and for what may pass its head; and what a policy notes down.
#include <algorithm>
#include <cmath>
#include <lua.hpp>

#include "api/view_methods.h"
#include "api/view_object.h"
#include "host/guard.h"
#include "sched/decisions.h"

namespace coslice {

namespace {

using Position = View::Position;

int age(lua_State* L) {
  ViewObject& object = view_object(L);
  object.check_decides(L);
  const double step = luaL_checknumber(L, 2);
  if (!(step >= 1e-9)) return luaL_argerror(L, 2, "a time above 0 is needed");
  View& view = object.view(L);
  luahost::charge(L, static_cast<std::int64_t>(view.queue().size()));
  object.ageing().apply(view, from_seconds(std::min(step, kMaxSeconds)));
  object.hint(view.queue().first());
  return 0;
}

/// What may start now without delaying a waiting job: anything that ends by `shadow`, or takes at most `extra` nodes.
struct Hole {
  Time shadow;
  std::int32_t extra;
};

Hole hole_before(const View& view, Position head) {
  const std::int32_t nodes = view.queue().nodes(head);
  const Time shadow = view.profile().earliest(nodes, view.queue().duration(head), view.now());
  return {shadow, view.profile().free_at(shadow) - nodes};
}

/// Upvalues: the view, the position of the one that must not be delayed, the next position. The hole is computed anew at
/// each step, as the loop's body starts jobs.
int next_passing(lua_State* L) {
  lua_settop(L, 0);
  lua_pushvalue(L, lua_upvalueindex(1));
  ViewObject& object = view_object(L);
  const View& view = object.view(L);
  const WaitingQueue& queue = view.queue();
  const auto head = static_cast<Position>(lua_tointeger(L, lua_upvalueindex(2)));
  auto p = static_cast<Position>(lua_tointeger(L, lua_upvalueindex(3)));
  const std::int32_t free = view.free_now();
  if (free <= 0 || p >= queue.end() || !queue.live(head)) return 0;
  const Hole hole = hole_before(view, head);
  const Duration window = hole.shadow - view.now();
  view.explain([&](DecisionObserver& o) { o.blocked(view, head, hole.shadow, hole.extra, queue.end()); });
  const Position before = p;
  for (p = queue.next_fitting(p, free); p < queue.end(); p = queue.next_fitting(p + 1, free))
    if (queue.duration(p) <= window || queue.nodes(p) <= hole.extra) break;
  luahost::charge(L, static_cast<std::int64_t>(p - before) / 8);
  if (p >= queue.end()) return 0;
  lua_pushinteger(L, static_cast<lua_Integer>(p) + 1);
  lua_replace(L, lua_upvalueindex(3));
  object.hint(p);
  object.jobs().push(L, queue.job(p));
  return 1;
}

int passing(lua_State* L) {
  ViewObject& object = view_object(L);
  const Position head = object.waiting_position(L, 2);
  if (object.view(L).reserved_count() != 0) return luaL_error(L, "passing() is for queues without reservations");
  lua_pushvalue(L, 1);
  lua_pushinteger(L, static_cast<lua_Integer>(head));
  lua_pushinteger(L, static_cast<lua_Integer>(head) + 1);
  lua_pushcclosure(L, luahost::guarded<next_passing>, 3);
  return 1;
}

int note(lua_State* L) {
  ViewObject& object = view_object(L);
  const char* name = luaL_checkstring(L, 2);
  const double x = luaL_checknumber(L, 3);
  if (!std::isfinite(x)) return luaL_argerror(L, 3, "not a finite number");
  if (!object.notes().add(name, x))
    return luaL_error(L, "a policy may note %d different names at most", PolicyNotes::kMost);
  return 0;
}

/// view:because(job, text): only whoever wants explanations hears it.
int because(lua_State* L) {
  const ViewObject& object = view_object(L);
  const View& view = object.view(L);
  const JobIndex job = object.jobs().index_of(L, 2);
  std::size_t length = 0;
  const char* text = luaL_checklstring(L, 3, &length);
  view.explain([&](DecisionObserver& o) { o.reasoned(view, job, {text, length}); });
  return 0;
}

}  // namespace

void add_queue_methods(lua_State* L) {
  using luahost::guarded;
  const luaL_Reg methods[] = {{"age", guarded<age>},
                              {"passing", guarded<passing>},
                              {"note", guarded<note>},
                              {"because", guarded<because>},
                              {nullptr, nullptr}};
  luaL_setfuncs(L, methods, 0);
}

}  // namespace coslice

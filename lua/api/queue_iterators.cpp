// Loops over the queue that pick in C++: jobs that fit, that may pass another one, that hold no reservation, that can move
// up. A loop in Lua that asks each waiting job costs more than all the rest of a pass.
#include <algorithm>
#include <lua.hpp>
#include <optional>
#include <tuple>

#include "api/slot.h"
#include "api/view_methods.h"
#include "api/view_object.h"
#include "host/guard.h"
#include "sched/decisions.h"
#include "sched/easy_hole.h"

namespace coslice {

namespace {

using Position = View::Position;

/// What a step of a loop works on. Upvalues: the view, then the next position.
struct Loop {
  explicit Loop(lua_State* state) : L(state), object(own_view(L)), view(object.view(L)), queue(view.queue()) {}
  Position next() const { return static_cast<Position>(lua_tointeger(L, lua_upvalueindex(2))); }
  /// Counts the work, and gives the job at p to the loop; nothing at the queue's end.
  int give(Position from, Position p) {
    luahost::charge(L, static_cast<std::int64_t>(std::min(p, queue.end()) - std::min(from, queue.end())) / 8);
    if (p >= queue.end()) return 0;
    lua_pushinteger(L, static_cast<lua_Integer>(p) + 1);
    lua_replace(L, lua_upvalueindex(2));
    object.hint(p);
    object.jobs().push(L, queue.job(p));
    return 1;
  }

  lua_State* L;
  ViewObject& object;
  View& view;
  const WaitingQueue& queue;
};

/// The position behind the job that is the method's argument, or the queue's first.
Position begin_of_loop(lua_State* L, ViewObject& object) {
  const WaitingQueue& queue = object.view(L).queue();
  return lua_isnoneornil(L, 2) ? queue.first() : object.waiting_position(L, 2) + 1;
}

template <lua_CFunction Next>
int loop_from(lua_State* L, Position from) {
  lua_pushvalue(L, 1);
  lua_pushinteger(L, static_cast<lua_Integer>(from));
  lua_pushcclosure(L, luahost::guarded<Next>, 2);
  return 1;
}

int next_fitting(lua_State* L) {
  Loop loop(L);
  const Position from = loop.next();
  const std::int32_t free = loop.view.most_nodes_now();
  Position p = loop.queue.next_fitting(from, free);
  while (p < loop.queue.end() && !loop.view.fits_now(p)) p = loop.queue.next_fitting(p + 1, free);
  return loop.give(from, p);
}

int fitting(lua_State* L) { return loop_from<next_fitting>(L, begin_of_loop(L, view_object(L))); }

int next_unreserved(lua_State* L) {
  Loop loop(L);
  const Position from = loop.next();
  Position p = from;
  while (p < loop.queue.end() && (!loop.queue.live(p) || loop.queue.reserved(p) != kNever)) ++p;
  return loop.give(from, p);
}

int unreserved(lua_State* L) {
  ViewObject& object = view_object(L);
  const View& view = object.view(L);
  const bool none = view.reserved_count() == view.loose_queue().size();
  return loop_from<next_unreserved>(L, none ? view.queue().end() : view.queue().first());
}

int next_moving_up(lua_State* L) {
  Loop loop(L);
  const Position from = loop.next();
  const Time now = loop.view.now();
  for (Position p = from; p < loop.queue.end(); ++p) {
    const Time old = loop.queue.live(p) ? loop.queue.reserved(p) : kNever;
    if (old == kNever || old <= now) continue;
    const Time t = loop.view.earlier(p);
    if (t == kNever) continue;
    loop.object.moved_up();
    loop.give(from, p);
    push_slot(L, loop.object.slots(), t);
    return 2;
  }
  return loop.give(from, loop.queue.end());
}

int moving_up(lua_State* L) {
  ViewObject& object = view_object(L);
  View& view = object.view(L);
  return loop_from<next_moving_up>(L, object.may_move_up(view) ? view.queue().first() : view.queue().end());
}

bool takes(const EasyHole& hole, const WaitingQueue& queue, Position p) {
  return hole.takes(queue.duration(p), queue.nodes(p));
}

/// The hole that the job at `head` leaves, told to the observers of decisions as well. It is computed anew at each
/// step, as the loop's body starts jobs.
EasyHole hole_now(const View& view, Position head) {
  const EasyHole hole(view, head);
  view.explain([&](DecisionObserver& o) { o.blocked(view, head, hole.shadow, hole.extra, view.queue().end()); });
  return hole;
}

/// The same where nodes differ: until the pass is over, no job starts that would delay the one at `head`.
int next_beside_shield(Loop& loop, Position head) {
  View& view = loop.view;
  const WaitingQueue& queue = loop.queue;
  const Position from = loop.next();
  if (from >= queue.end() || !queue.live(head)) return 0;
  const Time shadow = view.shield(head);
  view.explain([&](DecisionObserver& o) { o.blocked(view, head, shadow, 0, queue.end()); });
  Position p = queue.next_fitting(from, view.most_nodes_now());
  while (p < queue.end() && (p == head || !view.fits_now(p))) p = queue.next_fitting(p + 1, view.most_nodes_now());
  return loop.give(from, p);
}

/// A third upvalue: the position of the one that must not be delayed.
int next_passing(lua_State* L) {
  Loop loop(L);
  const WaitingQueue& queue = loop.queue;
  const auto head = static_cast<Position>(lua_tointeger(L, lua_upvalueindex(3)));
  if (loop.view.resources() != nullptr) return next_beside_shield(loop, head);
  const Position from = loop.next();
  const std::int32_t free = loop.view.free_now();
  if (free <= 0 || from >= queue.end() || !queue.live(head)) return 0;
  Position p = queue.next_fitting(from, free);
  if (p >= queue.end() && !loop.view.explained()) return loop.give(from, p);
  const EasyHole hole = hole_now(loop.view, head);
  while (p < queue.end() && !takes(hole, queue, p)) p = queue.next_fitting(p + 1, free);
  return loop.give(from, p);
}

/// One that may pass, by what orders it: estimate, submission and id as the policy sees them.
struct Candidate {
  double estimate, submit;
  std::int64_t id;
  Position p;
  bool operator<(const Candidate& o) const {
    return std::tie(estimate, submit, id) < std::tie(o.estimate, o.submit, o.id);
  }
};

/// Upvalues: the view, the next place in the list, the head, the list: a block of candidates, shortest first.
int next_short_passing(lua_State* L) {
  Loop loop(L);
  const WaitingQueue& queue = loop.queue;
  const auto head = static_cast<Position>(lua_tointeger(L, lua_upvalueindex(3)));
  const std::int32_t free = loop.view.free_now();
  const bool by_book = loop.view.resources() != nullptr;
  const auto* const list = static_cast<const Candidate*>(lua_touserdata(L, lua_upvalueindex(4)));
  const std::size_t count = lua_rawlen(L, lua_upvalueindex(4)) / sizeof(Candidate);
  const Position from = loop.next();
  if ((free <= 0 && !by_book) || from == count || !queue.live(head)) return 0;
  std::optional<EasyHole> hole;
  if (by_book) loop.view.shield(head);
  else hole = hole_now(loop.view, head);
  for (std::size_t i = from; i != count; ++i) {
    const Position p = list[i].p;
    if (p >= queue.end() || !queue.live(p)) continue;
    if (by_book ? !loop.view.fits_now(p) : queue.nodes(p) > free || !takes(*hole, queue, p)) continue;
    lua_pushinteger(L, static_cast<lua_Integer>(i) + 1);
    lua_replace(L, lua_upvalueindex(2));
    loop.object.hint(p);
    loop.object.jobs().push(L, queue.job(p));
    return 1;
  }
  return 0;
}

int nothing(lua_State*) { return 0; }

/// Pushes the list of jobs that may pass the job at `head` now. As the loop goes on, some of them no longer may, and no
/// others. False, and nothing is pushed, if there are none.
bool push_shortest_passing(lua_State* L, ViewObject& object, Position head) {
  View& view = object.view(L);
  const WaitingQueue& queue = view.queue();
  const std::int32_t free = view.most_nodes_now();
  const bool by_book = view.resources() != nullptr;
  const Position first = free > 0 ? queue.next_fitting(head + 1, free) : queue.end();
  if (first >= queue.end()) return false;
  std::optional<EasyHole> hole;
  if (by_book) view.shield(head);
  else hole.emplace(view, head);
  const auto each = [&](auto f) {
    for (Position p = first; p < queue.end(); p = queue.next_fitting(p + 1, free))
      if (by_book ? view.fits_now(p) : takes(*hole, queue, p)) f(p);
  };
  std::size_t count = 0;
  each([&](Position) { ++count; });
  if (count == 0) return false;
  luahost::charge(L, static_cast<std::int64_t>(count) * 8);
  auto* const list = static_cast<Candidate*>(lua_newuserdatauv(L, count * sizeof(Candidate), 0));
  Candidate* next = list;
  each([&](Position p) {
    const JobIndex j = queue.job(p);
    const ViewObject::Believed& b = object.believed(L, j);
    *next++ = {b.estimate, b.submit, view.job(j).id, p};
  });
  std::sort(list, list + count);
  return true;
}

int passing(lua_State* L) {
  ViewObject& object = view_object(L);
  const Position head = object.waiting_position(L, 2);
  static const char* const orders[] = {"queue", "shortest", nullptr};
  const bool shortest = luaL_checkoption(L, 3, "queue", orders) == 1;
  if (object.view(L).reserved_count() != 0) return luaL_error(L, "passing() is for queues without reservations");
  lua_pushvalue(L, 1);
  lua_pushinteger(L, shortest ? 0 : static_cast<lua_Integer>(head) + 1);
  lua_pushinteger(L, static_cast<lua_Integer>(head));
  if (shortest && !push_shortest_passing(L, object, head)) {
    lua_pushcfunction(L, nothing);
  } else if (shortest) {
    lua_pushcclosure(L, luahost::guarded<next_short_passing>, 4);
  } else {
    lua_pushcclosure(L, luahost::guarded<next_passing>, 3);
  }
  return 1;
}

}  // namespace

void add_queue_iterators(lua_State* L) {
  using luahost::guarded;
  const luaL_Reg methods[] = {{"fitting", guarded<fitting>},
                              {"unreserved", guarded<unreserved>},
                              {"moving_up", guarded<moving_up>},
                              {"passing", guarded<passing>},
                              {nullptr, nullptr}};
  luaL_setfuncs(L, methods, 0);
}

}  // namespace coslice

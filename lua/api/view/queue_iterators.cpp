// Loops over the queue that pick in C++: jobs that fit, that may pass another one, that hold no reservation, that can
// move up. A loop in Lua that asks each waiting job costs more than all the rest of a pass.
#include <algorithm>
#include <tuple>

#include "api/view/view_call.h"
#include "schedule/observer.h"

namespace coslice {
namespace {

using Position = View::Position;

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

/// The step of the loop that view:fitting(after?) returns.
int next_fitting(lua_State* L) {
  Loop loop(L);
  const Position from = loop.next();
  const std::int32_t free = loop.view.most_nodes_now();
  Position p = loop.queue.next_fitting(from, free);
  while (p < loop.queue.end() && !loop.view.fits_now(p)) p = loop.queue.next_fitting(p + 1, free);
  return loop.give(from, p);
}

/// view:fitting(after?) -> fun(): Job?
int fitting(lua_State* L) { return loop_from<next_fitting>(L, begin_of_loop(L, view_object(L))); }

/// The step of the loop that view:unreserved() returns.
int next_unreserved(lua_State* L) {
  Loop loop(L);
  const Position from = loop.next();
  Position p = from;
  while (p < loop.queue.end() && (!loop.queue.live(p) || loop.queue.reserved(p) != kNever)) ++p;
  return loop.give(from, p);
}

/// view:unreserved() -> fun(): Job?
int unreserved(lua_State* L) {
  ViewObject& object = view_object(L);
  const View& view = object.view(L);
  const bool none = view.reserved_count() == view.queue_as_it_is().size();
  return loop_from<next_unreserved>(L, none ? view.queue().end() : view.queue().first());
}

/// The step of the loop that view:moving_up() returns.
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

/// view:moving_up() -> fun(): Job?, Slot?
int moving_up(lua_State* L) {
  ViewObject& object = view_object(L);
  View& view = object.view(L);
  return loop_from<next_moving_up>(L, object.may_move_up(view) ? view.queue().first() : view.queue().end());
}

/// Until the pass is over, no job passes the one at `head` that would delay it. The observers of decisions are told, as
/// well. Anew at each step, as the loop's body starts jobs.
void shield(View& view, Position head) {
  const Time shadow = view.shield(head);
  const std::int32_t extra = view.available().spare_beside_shield();
  view.explain([&](DecisionObserver& o) { o.blocked(view, head, shadow, extra, view.queue().end()); });
}

/// A third upvalue: the position of the one that must not be delayed.
int next_passing(lua_State* L) {
  Loop loop(L);
  View& view = loop.view;
  const WaitingQueue& queue = loop.queue;
  const auto head = static_cast<Position>(lua_tointeger(L, lua_upvalueindex(3)));
  const Position from = loop.next();
  const std::int32_t free = view.most_nodes_now();
  if (free <= 0 || from >= queue.end() || !queue.live(head)) return 0;
  if (queue.next_fitting(from, free) >= queue.end() && !view.explained()) return loop.give(from, queue.end());
  shield(view, head);
  Position p = view.available().next_passing(queue, from, queue.end());
  if (p == head) p = view.available().next_passing(queue, p + 1, queue.end());
  return loop.give(from, p);
}

/// A job that may pass, by what orders it: estimate, submission and id as the policy sees them.
struct ShortJob {
  double estimate, submit;
  std::int64_t id;
  Position p;
  bool operator<(const ShortJob& o) const {
    return std::tie(estimate, submit, id) < std::tie(o.estimate, o.submit, o.id);
  }
};

/// Upvalues: the view, the next place in the list, the head, the list: a block of candidates, shortest first.
int next_short_passing(lua_State* L) {
  Loop loop(L);
  const WaitingQueue& queue = loop.queue;
  const auto head = static_cast<Position>(lua_tointeger(L, lua_upvalueindex(3)));
  const auto* const list = static_cast<const ShortJob*>(lua_touserdata(L, lua_upvalueindex(4)));
  const std::size_t count = lua_rawlen(L, lua_upvalueindex(4)) / sizeof(ShortJob);
  const Position from = loop.next();
  const std::int32_t free = loop.view.most_nodes_now();
  if (free <= 0 || from == count || !queue.live(head)) return 0;
  shield(loop.view, head);
  for (std::size_t i = from; i != count; ++i) {
    const Position p = list[i].p;
    if (p >= queue.end() || queue.nodes(p) > free || loop.view.available().next_passing(queue, p, p + 1) != p) continue;
    return loop.give_as(i + 1, p);
  }
  return 0;
}

/// The step of a loop over no jobs.
int nothing(lua_State*) { return 0; }

/// Pushes the list of jobs that may pass the job at `head` now. As the loop goes on, some of them no longer may, and no
/// others. False, and nothing is pushed, if there are none.
bool push_shortest_passing(lua_State* L, ViewObject& object, Position head) {
  View& view = object.view(L);
  const WaitingQueue& queue = view.queue();
  const std::int32_t free = view.most_nodes_now();
  if (free <= 0 || queue.next_fitting(head + 1, free) >= queue.end()) return false;
  view.shield(head);
  const auto each = [&](auto f) {
    Availability& available = view.available();
    Position p = available.next_passing(queue, head + 1, queue.end());
    for (; p < queue.end(); p = available.next_passing(queue, p + 1, queue.end())) f(p);
  };
  std::size_t count = 0;
  each([&](Position) { ++count; });
  if (count == 0) return false;
  luahost::charge(L, static_cast<std::int64_t>(count) * 8);
  auto* const list = static_cast<ShortJob*>(lua_newuserdatauv(L, count * sizeof(ShortJob), 0));
  ShortJob* next = list;
  each([&](Position p) {
    const JobIndex j = queue.job(p);
    const ViewObject::Believed& b = object.believed(L, j);
    *next++ = {b.estimate, b.submit, view.job(j).id, p};
  });
  std::sort(list, list + count);
  return true;
}

/// view:passing(head, order?) -> fun(): Job?
int passing(lua_State* L) {
  ViewObject& object = view_object(L);
  const Position head = object.waiting_position(L, 2);
  static const char* const orders[] = {"queue", "shortest", nullptr};
  const bool shortest = luaL_checkoption(L, 3, "queue", orders) == 1;
  if (object.view(L).reserved_count() != 0) luahost::raise(L, "passing() is for queues without reservations");
  lua_pushvalue(L, 1);
  lua_pushinteger(L, shortest ? 0 : static_cast<lua_Integer>(head) + 1);
  lua_pushinteger(L, static_cast<lua_Integer>(head));
  if (shortest && !push_shortest_passing(L, object, head)) lua_pushcfunction(L, nothing);
  else if (shortest) lua_pushcclosure(L, luahost::guarded<next_short_passing>, 4);
  else lua_pushcclosure(L, luahost::guarded<next_passing>, 3);
  return 1;
}

}  // namespace

void add_queue_iterators(lua_State* L) {
  using luahost::guarded;
  luahost::set_functions(L, {{"fitting", guarded<fitting>},
                             {"unreserved", guarded<unreserved>},
                             {"moving_up", guarded<moving_up>},
                             {"passing", guarded<passing>}});
}

}  // namespace coslice

// Loops over the queue that pick in C++: jobs that fit, that may pass another one, that hold no reservation, that can
// move up. A loop in Lua that asks each waiting job costs more than all the rest of a pass.
#include <algorithm>
#include <tuple>

#include "api/view/view_call.h"
#include "schedule/observer.h"

namespace coslice {
namespace {

using luahost::bound;
using luahost::Pushed;
using Position = View::Position;

/// The step of the loop that view:fitting(after?) returns.
Pushed next_fitting(Loop& loop) {
  const Position from = loop.next();
  const std::int32_t free = loop.view.most_nodes_now();
  Position p = loop.queue.next_fitting(from, free);
  while (p < loop.queue.end() && !loop.view.fits_now(p)) p = loop.queue.next_fitting(p + 1, free);
  return loop.give(from, p);
}

/// view:fitting(after?) -> fun(): Job?
Pushed fitting(const ViewCall& call, std::optional<WaitingJob> after) {
  return push_loop<next_fitting>(call, after ? *after + 1 : call.queue().first());
}

/// The step of the loop that view:unreserved() returns.
Pushed next_unreserved(Loop& loop) {
  const Position from = loop.next();
  Position p = from;
  while (p < loop.queue.end() && (!loop.queue.live(p) || loop.queue.reserved(p) != kNever)) ++p;
  return loop.give(from, p);
}

/// view:unreserved() -> fun(): Job?
Pushed unreserved(const ViewCall& call) {
  const bool none = call.view.reserved_count() == call.view.queue_as_it_is().size();
  return push_loop<next_unreserved>(call, none ? call.queue().end() : call.queue().first());
}

/// The step of the loop that view:moving_up() returns.
Pushed next_moving_up(Loop& loop) {
  const Position from = loop.next();
  const Time now = loop.view.now();
  for (Position p = from; p < loop.queue.end(); ++p) {
    const Time old = loop.queue.live(p) ? loop.queue.reserved(p) : kNever;
    if (old == kNever || old <= now) continue;
    const Time t = loop.view.earlier(p);
    if (t == kNever) continue;
    loop.object.moved_up();
    loop.give(from, p);
    push_slot(loop.L, loop.object.slots(), t);
    return {2};
  }
  return loop.give(from, loop.queue.end());
}

/// view:moving_up() -> fun(): Job?, Slot?
Pushed moving_up(const ViewCall& call) {
  const bool some = call.object.may_move_up(call.view);
  return push_loop<next_moving_up>(call, some ? call.queue().first() : call.queue().end());
}

/// Until the pass is over, no job passes the one at `head` that would delay it. The observers of decisions are told, as
/// well. Anew at each step, as the loop's body starts jobs.
void shield(View& view, Position head) {
  const Time shadow = view.shield(head);
  const std::int32_t extra = view.available().spare_beside_shield();
  view.explain([&](DecisionObserver& o) { o.blocked(view, head, shadow, extra, view.queue().end()); });
}

/// A third upvalue: the position of the one that must not be delayed.
Pushed next_passing(Loop& loop) {
  View& view = loop.view;
  const WaitingQueue& queue = loop.queue;
  const auto head = static_cast<Position>(lua_tointeger(loop.L, lua_upvalueindex(3)));
  const Position from = loop.next();
  const std::int32_t free = view.most_nodes_now();
  if (free <= 0 || from >= queue.end() || !queue.live(head)) return {0};
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
Pushed next_short_passing(Loop& loop) {
  const WaitingQueue& queue = loop.queue;
  const auto head = static_cast<Position>(lua_tointeger(loop.L, lua_upvalueindex(3)));
  const auto* const list = static_cast<const ShortJob*>(lua_touserdata(loop.L, lua_upvalueindex(4)));
  const std::size_t count = lua_rawlen(loop.L, lua_upvalueindex(4)) / sizeof(ShortJob);
  const Position from = loop.next();
  const std::int32_t free = loop.view.most_nodes_now();
  if (free <= 0 || from == count || !queue.live(head)) return {0};
  shield(loop.view, head);
  for (std::size_t i = from; i != count; ++i) {
    const Position p = list[i].p;
    if (p >= queue.end() || queue.nodes(p) > free || loop.view.available().next_passing(queue, p, p + 1) != p) continue;
    return loop.give_as(i + 1, p);
  }
  return {0};
}

/// Pushes the list of jobs that may pass the job at `head` now. As the loop goes on, some of them no longer may, and no
/// others. False, and nothing is pushed, if there are none.
bool push_shortest_passing(const ViewCall& call, Position head) {
  View& view = call.view;
  const WaitingQueue& queue = call.queue();
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
  call.charge(static_cast<std::int64_t>(count) * 8);
  auto* const list = static_cast<ShortJob*>(lua_newuserdatauv(call.L, count * sizeof(ShortJob), 0));
  ShortJob* next = list;
  each([&](Position p) {
    const JobIndex j = queue.job(p);
    const ViewObject::Believed& b = call.object.believed(call.L, j);
    *next++ = {b.estimate, b.submit, view.job(j).id, p};
  });
  std::sort(list, list + count);
  return true;
}

/// view:passing(head, order?) -> fun(): Job?
Pushed passing(const ViewCall& call, WaitingJob head) {
  lua_State* const L = call.L;
  static const char* const orders[] = {"queue", "shortest", nullptr};
  const bool shortest = luaL_checkoption(L, 3, "queue", orders) == 1;
  if (call.view.reserved_count() != 0) luahost::raise(L, "passing() is for queues without reservations");
  lua_pushvalue(L, 1);
  lua_pushinteger(L, shortest ? 0 : static_cast<lua_Integer>(head) + 1);
  lua_pushinteger(L, static_cast<lua_Integer>(head));
  if (!shortest) lua_pushcclosure(L, bound<next_passing>, 3);
  else if (push_shortest_passing(call, head)) lua_pushcclosure(L, bound<next_short_passing>, 4);
  else lua_pushcfunction(L, [](lua_State*) { return 0; });  // a loop over no jobs
  return {};
}

}  // namespace

void add_queue_iterators(lua_State* L) {
  luahost::set_functions(L, {{"fitting", bound<fitting>},
                             {"unreserved", bound<unreserved>},
                             {"moving_up", bound<moving_up>},
                             {"passing", bound<passing>}});
}

}  // namespace coslice

// What the methods of a view work on, and what they take and give beside numbers, texts and flags (host/bind.h). For
// .cpp files; sees Lua's headers.
#pragma once

#include <algorithm>

#include "api/view/slot.h"
#include "api/view/view_methods.h"
#include "api/view/view_object.h"
#include "host/bind.h"

namespace coslice {

/// The view that a method was called for; raises a Lua error outside of a hook.
struct ViewCall {
  explicit ViewCall(lua_State* state) : ViewCall(state, view_object(state)) {}
  ViewCall(lua_State* state, ViewObject& o) : L(state), object(o), view(o.view(state)) {}

  const WaitingQueue& queue() const { return view.queue(); }
  /// Returns the number that the trace has for a job, for messages.
  std::int64_t id(JobIndex j) const { return view.job(j).id; }
  void charge(std::int64_t units) const { luahost::charge(L, units); }

  lua_State* L;
  ViewObject& object;
  View& view;
};

/// The view for a method that decides; raises a Lua error in hooks that may only ask.
struct DecidingCall : ViewCall {
  explicit DecidingCall(lua_State* state) : ViewCall(state) { object.check_decides(state); }
};

/// A job that waits, by its position in the queue; raises a Lua error if it does not wait.
struct WaitingJob {
  WaitingJob(lua_State* L, const ViewCall& call, int index) : p(call.object.waiting_position(L, index)) {}
  operator View::Position() const { return p; }
  View::Position p;
};

/// A job, perhaps none (nil).
struct AnyJob {
  AnyJob(JobIndex job) : j(job) {}
  AnyJob(lua_State* L, const ViewCall& call, int index) : j(call.object.jobs().index_of(L, index)) {}
  /// The job at a position of the queue; none at its end.
  static AnyJob at(const ViewCall& call, View::Position p) {
    return p < call.queue().end() ? call.queue().job(p) : kNoJob;
  }
  void push(lua_State* L, const ViewCall& call) const {
    if (j == kNoJob) lua_pushnil(L);
    else call.object.jobs().push(L, j);
  }
  operator JobIndex() const { return j; }
  JobIndex j;
};

/// An instant, which is a slot in Lua.
struct Instant {
  Instant(Time time) : t(time) {}
  Instant(lua_State* L, const ViewCall&, int index) : t(check_slot(L, index)) {}
  void push(lua_State* L, const ViewCall& call) const { push_slot(L, call.object.slots(), t); }
  operator Time() const { return t; }
  Time t;
};

/// What a step of a loop over the queue works on. Upvalues: the view, then the next position.
struct Loop : ViewCall {
  explicit Loop(lua_State* state) : ViewCall(state, own_view(state)), queue(view.queue()) {}
  View::Position next() const { return static_cast<View::Position>(lua_tointeger(L, lua_upvalueindex(2))); }
  /// Counts the work, and gives the job at p to the loop; nothing at the queue's end.
  luahost::Pushed give(View::Position from, View::Position p) {
    charge(static_cast<std::int64_t>(std::min(p, queue.end()) - std::min(from, queue.end())) / 8);
    return p >= queue.end() ? luahost::Pushed{0} : give_as(p + 1, p);
  }
  /// Gives the job at p; the loop goes on at `after`.
  luahost::Pushed give_as(std::size_t after, View::Position p) {
    go_on_at(after);
    object.hint(p);
    object.jobs().push(L, queue.job(p));
    return {};
  }
  void go_on_at(std::size_t next) {
    lua_pushinteger(L, static_cast<lua_Integer>(next));
    lua_replace(L, lua_upvalueindex(2));
  }

  const WaitingQueue& queue;
};

/// Pushes a loop over the queue from a position on; `Next` gives its steps.
template <auto Next>
luahost::Pushed push_loop(const ViewCall& call, View::Position from) {
  lua_pushvalue(call.L, 1);
  lua_pushinteger(call.L, static_cast<lua_Integer>(from));
  lua_pushcclosure(call.L, luahost::bound<Next>, 2);
  return {};
}

}  // namespace coslice

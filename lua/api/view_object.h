// The view as a Lua object: what a policy's own pass may call (lua/meta/policy.lua documents each method).
#pragma once

#include "api/job_tables.h"
#include "host/ref.h"
#include "sched/conservative_backfill.h"
#include "sched/scheduler.h"

struct lua_State;

namespace coslice {

class LuaState;

class ViewObject {
 public:
  /// `jobs` outlives it; it outlives every use of its value in the state.
  ViewObject(LuaState& state, const JobTables& jobs);

  /// The view that the object stands for during a hook; null between hooks, when using it raises an error.
  void show(View* view, const Pass& pass);
  /// The Lua value to hand to hooks.
  const LuaRef& value() const { return value_; }

  // For the methods, in view_methods.cpp.
  View& view(lua_State* L) const;
  const Pass& pass() const { return pass_; }
  const JobTables& jobs() const { return jobs_; }
  /// Position in the queue of the job at the stack index; raises an error if it does not wait.
  View::Position waiting_position(lua_State* L, int index);
  /// The next search for a position begins here: loops over the queue find their job at once.
  void hint(View::Position p) { hint_ = p; }
  ConservativeBackfill& conservative() { return conservative_; }

 private:
  const JobTables& jobs_;
  LuaRef value_;
  View* view_ = nullptr;
  Pass pass_;
  View::Position hint_ = 0;
  ConservativeBackfill conservative_;  ///< remembers from pass to pass whether anybody may be able to move up
};

}  // namespace coslice

// The view as a Lua object: what a policy's own pass may call (lua/meta/policy.lua documents each method).
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "api/groups/units_object.h"
#include "api/jobs/job_tables.h"
#include "api/policy/decayed_usage.h"
#include "host/ref.h"
#include "jobs/workload.h"
#include "machine/machine.h"
#include "observe/result.h"
#include "schedule/conservative_backfill.h"
#include "schedule/scheduler.h"
#include "schedule/view.h"
#include "sharing/sharing.h"

struct lua_State;

namespace coslice {

class GroupContext;
class LuaState;
class SlowdownModel;

class ViewObject {
 public:
  /// `jobs` outlives it; it outlives every use of its value in the state.
  /// With slowdowns (which outlive it), its methods for groups work, on nodes of that shape.
  ViewObject(LuaState& state, const JobTables& jobs, const SlowdownModel* slowdowns = nullptr,
             const NodeShape& shape = {});
  ~ViewObject();

  /// What the object stands for during a hook; without a view, between hooks, using it raises an error.
  struct Shown {
    View* view = nullptr;
    Pass pass;
    bool decides = false;     ///< the hook may start and reserve
    View::Position hint = 0;  ///< where the search for a waiting job begins
    bool only_asks = false;   ///< the hook may not even wake and note
  };
  /// Shows a view until the result is handed back; hooks nest.
  Shown show(const Shown& shown);
  /// Returns the place in which the state keeps what object is shown just now. Methods are bound to it, not to an
  /// object: a state knows types by their names, and in that of a suite there are several objects.
  ViewObject** place() const { return place_; }
  /// Returns the Lua value to hand to hooks.
  const LuaRef& value() const { return value_; }

  // For the methods, in view_methods.cpp.
  View& view(lua_State* L) const;
  /// Returns how often a script looked at a view.
  std::uint64_t uses() const { return uses_; }
  /// Raises an error unless the running hook may decide.
  void check_decides(lua_State* L) const;
  /// Raises an error in a hook that is there for explanations: what it does must change nothing.
  void check_may_act(lua_State* L) const;
  const Pass& pass() const { return shown_.pass; }
  /// Notes that the hook has stopped jobs: what comes next in the pass must look at all that waits.
  void jobs_ended() { shown_.pass.ended = true; }
  const JobTables& jobs() const { return jobs_; }
  /// Returns the metatable of slots.
  const LuaRef& slots() const { return slots_; }
  /// Returns the position in the queue of the job at the stack index; raises an error if it does not wait.
  View::Position waiting_position(lua_State* L, int index);
  /// Lets the next search for a position begin here: loops over the queue find their job at once.
  void hint(View::Position p) { shown_.hint = p; }
  /// Fields of a waiting job's table, which do not change while it waits.
  struct Believed {
    double estimate = -1, submit = 0;
  };
  /// Notes that the job enters the queue.
  void entered(JobIndex j) {
    if (j < believed_.size()) believed_[j] = {};
  }
  /// Inside a protected call.
  const Believed& believed(lua_State* L, JobIndex j);
  /// Sets the trace's date at second 0; nothing if it has none.
  void set_calendar(const std::optional<TraceClock>& calendar) { calendar_ = calendar; }
  const std::optional<TraceClock>& calendar() const { return calendar_; }
  /// Notes that the script asks for the time.
  void read_clock() { clock_read_ = true; }
  bool clock_was_read() const { return clock_read_; }
  Ageing& ageing() { return ageing_; }
  /// Returns whether a reservation may be able to move up: nodes became free early since the last question, or a job
  /// moved then.
  bool may_move_up(View& view) {
    const bool may = view.take_freed_early() || moved_up_;
    moved_up_ = false;
    return may;
  }
  void moved_up() { moved_up_ = true; }
  /// Notes that the script has given a job's reservation back.
  void gave_up_reservation() { given_up_ = true; }
  /// Returns whether it has since this was asked last.
  bool take_given_up() { return std::exchange(given_up_, false); }
  PolicyNotes& notes() { return notes_; }
  ConservativeBackfill& conservative() { return conservative_; }
  UnitLedgers& units() { return units_; }
  /// Returns the context of groups; null where nodes are not shared.
  GroupContext* groups() { return groups_.get(); }

 private:
  const JobTables& jobs_;
  LuaRef value_, slots_;
  ViewObject** place_ = nullptr;   ///< in the state
  ViewObject** handle_ = nullptr;  ///< in the value
  ViewObject* outer_ = nullptr;    ///< that was shown when this one came to be
  std::unique_ptr<GroupContext> groups_;
  Shown shown_;
  Ageing ageing_;
  bool moved_up_ = false;  ///< in the last walk, and a job that moves up may leave a hole for one asked before it
  bool given_up_ = false;
  std::vector<Believed> believed_;  ///< by JobIndex, of those that were asked for
  PolicyNotes notes_;
  bool clock_read_ = false;
  std::optional<TraceClock> calendar_;
  mutable std::uint64_t uses_ = 0;
  UnitLedgers units_;
  ConservativeBackfill conservative_;  ///< remembers from pass to pass whether any job may be able to move up
};

/// While it lives, functions of the script that a method calls may ask, and decide nothing: the method stands between
/// two of its steps.
class AskingOnly {
 public:
  AskingOnly(ViewObject& object, View& view)
      : object_(object), before_(object.show({&view, object.pass(), false, view.queue().first()})) {}
  ~AskingOnly() { object_.show(before_); }
  AskingOnly(const AskingOnly&) = delete;
  AskingOnly& operator=(const AskingOnly&) = delete;

 private:
  ViewObject& object_;
  ViewObject::Shown before_;
};

}  // namespace coslice

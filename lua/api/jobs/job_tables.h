// Jobs as policies see them: a Lua table per job, built when a policy first sees the job and dropped when it has ended,
// so that jobs of which the engine takes care by itself take no Lua memory. The fields that most policies read are
// there from the start; the others are looked up when they are first read, as filling all of them would cost more than
// most policies do.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/jobs/job_values.h"
#include "host/ref.h"
#include "jobs/job.h"
#include "jobs/slowdown.h"
#include "metrics/summary.h"
#include "schedule/view.h"

struct lua_State;

namespace coslice {

class LuaState;

class JobTables {
 public:
  /// `classes` and `slowdowns` (which may be null) outlive it; it outlives every use of a job's table in the state.
  /// Scripts may keep tables for longer: then these tell that their run is over.
  JobTables(LuaState& state, const std::vector<JobClass>& classes, const SlowdownModel* slowdowns = nullptr);
  ~JobTables();
  JobTables(const JobTables&) = delete;
  JobTables& operator=(const JobTables&) = delete;

  /// Takes the tables' jobs from this view from now on.
  void show(const View& view) { view_ = &view; }
  /// Sets what job.view is: the Lua value of the view that schedules them.
  void belong_to(const LuaRef& view) { view_value_ = &view; }
  /// Pushes a new table for a job that enters the queue now. Inside a protected call.
  void push_new(lua_State* L, JobIndex index) const;
  /// Notes that the job enters the queue: from here until drop() it has one table, which is made when it is first asked
  /// for.
  void enter(JobIndex index);
  /// Pushes the table of a job that has entered, else nil. Inside a protected call, or after make().
  void push(lua_State* L, JobIndex index) const;
  /// Makes the table of a job that has entered, in a protected call of its own, if it is not there yet.
  void make(JobIndex index) const;
  bool has_table(JobIndex index) const { return index < slot_.size() && slot_[index] < kNoTable; }
  /// Returns what job[field] is where that is a number, without making the table; nothing where only the table can
  /// tell.
  std::optional<JobNumber> number(JobIndex index, std::string_view field) const;
  /// Makes `estimate` of the job's table, if it is there, what the view says now.
  void refresh_estimate(JobIndex index) const;
  /// Pushes the list of kept tables, for push_from().
  void push_all(lua_State* L) const;
  /// Pushes the job's table as push() does, from what push_all() pushed at the stack index `all`. Inside a protected
  /// call.
  void push_from(lua_State* L, int all, JobIndex index) const;
  /// Forgets a kept table. Allocates nothing in Lua, so that it needs no protected call. Gives the name of one of the
  /// engine's fields that the script has replaced by a value of its own (with rawset), or null.
  const char* drop(lua_State* L, JobIndex index);
  /// Sets the field `start` of the table on the top of the stack.
  static void set_start(lua_State* L, double start);
  /// Sets `start`, and `finish` if it is given, of the job's table. Inside a protected call.
  void set_run(lua_State* L, JobIndex index, double start, std::optional<double> finish = {}) const;
  /// Sets one of the engine's fields of the job's table at the stack index to the value on the top of the stack, which
  /// it pops. `job` is no negative index.
  static void set_field(lua_State* L, int job, const char* name);
  /// Returns how fast jobs run beside others; null if no job is slowed down.
  const SlowdownModel* slowdowns() const { return slowdowns_; }
  /// Returns the job that the table at the stack index stands for; raises a Lua error if it is no job's table, or one
  /// of another run: a suite has several, whose jobs are numbered alike.
  JobIndex index_of(lua_State* L, int index) const;

 private:
  /// The job's table was not asked for yet.
  static constexpr std::uint32_t kNotMade = 0xFFFFFFFEU;
  static constexpr std::uint32_t kNotEntered = 0xFFFFFFFFU;  ///< or gone again
  static constexpr std::uint32_t kNoTable = kNotMade;
  struct LateField;
  static const LateField kComputed[];
  static const std::vector<LateField>& late_fields();
  static int look_up(lua_State* L);
  static int look_up_start(lua_State* L);
  static int unknown_field(lua_State* L, const char* name);
  static int all_pairs(lua_State* L);
  static int refuse_write(lua_State* L);
  static const char* engines_field(const char* name);
  /// Pushes the table with the engine's fields of the job at the stack index.
  static void push_fields(lua_State* L, int job);
  static JobTables& of(lua_State* L);
  bool same_run(lua_State* L, int index) const;
  /// What a job's table begins with. A moldable job may have other nodes when its table is made than when it entered.
  struct Entry {
    Time time{};
    Duration estimate{};
    std::int32_t nodes = 0;
  };
  Entry entry_now(JobIndex index) const;
  void push_table(lua_State* L, JobIndex index, const Entry& entry) const;
  void keep(lua_State* L, JobIndex index) const;
  void push_class(lua_State* L, const Job& job) const;

  const std::uint32_t number_;  ///< no two have the same; stands in the tables
  JobTables** cell_ = nullptr;  ///< in the state, where the tables' functions find it; empty when it has gone
  const std::vector<JobClass>& classes_;
  const SlowdownModel* slowdowns_;
  const View* view_ = nullptr;
  const LuaRef* view_value_ = nullptr;            ///< absent: no policy schedules them
  LuaRef late_, new_field_, pairs_;               ///< parts of the tables' metatables
  std::set<std::string, std::less<>> own_names_;  ///< read before they were set, and like no field
  LuaState& state_;
  LuaRef kept_;                         ///< list of tables in slots that are used again, so that it stays an array
  mutable std::vector<Entry> entered_;  ///< by job index
  // The tables are made when they are asked for.
  mutable std::vector<std::uint32_t> slot_;    ///< by job index; from kNoTable on: there is none
  mutable std::vector<std::uint32_t> unused_;  ///< slots without a table
  mutable std::uint32_t slots_ = 0;
  // The kept table that was pushed last: most questions are about it.
  mutable const void* last_ = nullptr;
  mutable JobIndex last_index_ = kNoJob;
};

}  // namespace coslice

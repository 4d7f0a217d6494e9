// Jobs as policies see them: a Lua table per job, built when the job is submitted and dropped when it has ended, so that
// only queued and running jobs take Lua memory.
#pragma once

#include <optional>
#include <vector>

#include "host/ref.h"
#include "metrics/summary.h"
#include "workload/job.h"

struct lua_State;

namespace coslice {

class LuaState;

class JobTables {
 public:
  /// `classes` outlives it.
  JobTables(LuaState& state, const std::vector<JobClass>& classes);

  /// Pushes a new table for the job. Inside a protected call.
  void push_new(lua_State* L, const Job& job, JobIndex index, double submit, std::int32_t nodes) const;
  /// Keeps the table on the top of the stack until drop(), and leaves it there.
  void keep(lua_State* L, JobIndex index) const;
  /// Pushes the kept table of a job.
  void push(lua_State* L, JobIndex index) const;
  void drop(lua_State* L, JobIndex index) const;
  /// Sets the field `start` of the table on the top of the stack.
  static void set_start(lua_State* L, double start);
  /// Sets `start`, and `finish` if it is given, of a kept table.
  void set_run(lua_State* L, JobIndex index, double start, std::optional<double> finish = {}) const;
  /// The job that the table at the stack index stands for; raises a Lua error if it is no job's table.
  static JobIndex index_of(lua_State* L, int index);

 private:
  const std::vector<JobClass>& classes_;
  LuaRef kept_;  ///< table: index + 1 -> job table
};

}  // namespace coslice

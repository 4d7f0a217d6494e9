// The field `slices` of a policy (lua/meta/slices.lua): time slices for classes of jobs.
#pragma once

#include <string>
#include <vector>

#include "api/jobs/job_tables.h"
#include "api/policy/hook.h"
#include "core/time.h"
#include "slices/slices.h"

struct lua_State;

namespace coslice {

class FieldReader;

/// Shares that change with the time of day.
class DayShares {
 public:
  bool empty() const { return entries_.empty(); }
  /// Returns what holds at this time after midnight: the last entry that has begun, in the small hours that of the
  /// evening before. Precondition: not empty, 0 <= time_of_day < 24 h.
  const std::vector<double>& at(Duration time_of_day) const;
  void add(Duration from, std::vector<double> shares);

 private:
  struct Entry {
    Duration from;
    std::vector<double> shares;  ///< one per class
  };
  std::vector<Entry> entries_;  ///< by time
};

/// Reads the table on the top of the stack, shares by class name; classes that are not named get none. Says in
/// `problem` what is wrong with it, and leaves it empty if nothing is. Inside a protected call.
std::vector<double> read_shares(lua_State* L, const std::vector<SliceClass>& classes, std::string& problem);

/// Reads the table on the top of the stack, shares by "HH:MM". `slices` is for messages. Throws InputError.
DayShares read_day_shares(const FieldReader& slices, const std::vector<SliceClass>& classes);

class FieldReader;

/// As the policy says it; the functions are bound by SliceFunctions.
struct SliceSettings {
  SliceOptions options;
  std::string scheduler;  ///< name or path of the policy that schedules each slice; "": the policy itself
  Hook shares, memory_of, node_rank;
  DayShares day_shares;      ///< instead of the function
  double transfer_rate = 0;  ///< units of memory per second
};

/// Reads the table on the top of the stack. Throws InputError. Inside a protected call.
SliceSettings read_slices(const FieldReader& policy, const std::string& policy_name);

/// Lets the options ask the policy's functions. Outlives the simulation.
class SliceFunctions {
 public:
  /// Keeps references to its arguments, which outlive it.
  SliceFunctions(LuaState& state, const SliceSettings& settings, const LuaRef& params,
                 const std::vector<JobClass>& classes);
  /// Returns the options with functions. `clock_at_0` is the time of day at the simulation's second 0, within a day.
  SliceOptions options(Duration clock_at_0 = Duration{0});

 private:
  std::vector<double> ask_shares(Time now, const std::vector<ClassDemand>& demand);
  Duration ask_memory(const View& view, JobIndex j);
  double ask_rank(const View& view, JobIndex j, const NodeFacts& node);

  LuaState& state_;
  const SliceSettings& settings_;
  const LuaRef& params_;
  JobTables jobs_;
};

}  // namespace coslice

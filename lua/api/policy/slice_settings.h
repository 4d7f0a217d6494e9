// The field `slices` of a policy (lua/meta/slices.lua): time slices for classes of jobs.
#pragma once

#include <memory>
#include <string>

#include "api/jobs/job_tables.h"
#include "api/policy/hook.h"
#include "api/policy/slice_shares.h"
#include "slices/slices.h"

namespace coslice {

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

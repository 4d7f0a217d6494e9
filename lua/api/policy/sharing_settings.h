// The field `sharing` of a policy (lua/meta/groups.lua): how many processes jobs put on a node.
#pragma once

#include <string>

#include "api/jobs/job_tables.h"
#include "api/policy/hook.h"
#include "sharing/sharing.h"

namespace coslice {

class FieldReader;

struct SharingSettings {
  Hook alone, shared;
  Layout layout = Layout::kAcross;
};

/// Reads the table on the top of the stack. Throws InputError. Inside a protected call.
SharingSettings read_sharing(const FieldReader& policy, const std::string& policy_name);

/// Lets the options ask the policy's functions. Outlives the simulation.
class SharingFunctions {
 public:
  /// Keeps references to its arguments, which outlive it.
  SharingFunctions(LuaState& state, const SharingSettings& settings, const LuaRef& params,
                   const std::vector<JobClass>& classes, const SlowdownModel& slowdowns, const MachineSpec& machine);
  SharingOptions options();

 private:
  std::int32_t ask(const Hook& hook, const View& view, JobIndex j);

  LuaState& state_;
  const SharingSettings& settings_;
  const LuaRef& params_;
  const SlowdownModel& slowdowns_;
  const ExchangedSlowdowns exchanged_;
  JobTables jobs_;
  LuaRef machine_;
};

}  // namespace coslice

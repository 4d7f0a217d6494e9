// The settings of a policy: its fields that are no hooks. A setting is a value, a function of the parameters, or a
// parameter of the same name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/jobs/job_tables.h"
#include "api/policy/coscheduling_settings.h"
#include "api/policy/hook.h"
#include "api/policy/params.h"
#include "api/policy/share_setting.h"
#include "api/policy/slice_settings.h"
#include "observe/claim_watch.h"
#include "schedule/queue_scheduler.h"
#include "sharing/sharing.h"

namespace coslice {

class FieldReader;

struct SharingSettings {
  Hook alone, shared;
  Layout layout = Layout::kAcross;
  bool by_use = false;  ///< partners are looked for by what jobs use
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

class LuaState;

struct PolicySettings {
  QueueSchedulerOptions options;  ///< of the ready-made scheduler; its functions are not set
  std::optional<SliceSettings> slices;
  std::optional<ShareSetting> share;
  std::optional<SharingSettings> sharing;
  std::optional<CoschedulingSettings> coscheduling;
  bool suspends = false;           ///< it may suspend jobs in place (view:preempt())
  bool counts_units = false;       ///< it counts GPUs or nodes by kind (view:units())
  bool passes_with_room = false;   ///< `schedule` is asked only where a waiting job needs no more nodes than are free
  Claims claims;                   ///< stated, and those that the ready-made scheduler brings
  std::vector<std::string> shown;  ///< "backfill = easy"
};

/// What settings may depend on.
struct SettingsContext {
  LuaState& state;
  const std::string& policy;            ///< its name
  const std::vector<ParamSpec>& specs;  ///< its parameters
  const Value& values;                  ///< theirs in this run
  const Value& given;                   ///< what was set explicitly
  const LuaRef& params;                 ///< `values` as hooks get them; loses parameters that are settings
};

/// Returns the names of all settings, in the order of the interface.
std::vector<std::string> setting_names();

/// Reads the settings of a policy. Throws InputError: where parameters were set with which the policy cannot work, at
/// that place. Inside a protected call.
PolicySettings read_policy_settings(const FieldReader& policy, const SettingsContext& context);

}  // namespace coslice

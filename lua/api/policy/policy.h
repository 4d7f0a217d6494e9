// A policy: a Lua file that returns a table (lua/meta/policy.lua says what may stand in it). Loading checks everything
// that can be checked without a simulation.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/policy/hook.h"
#include "api/policy/placement_setting.h"
#include "api/policy/policy_settings.h"
#include "api/scripts/random_library.h"
#include "core/value.h"
#include "host/limits.h"
#include "host/script.h"
#include "host/state.h"
#include "metrics/summary.h"

namespace coslice {

/// What `coslice policies NAME` shows.
struct PolicyDescription {
  std::string name, version, description;
  std::vector<ParamSpec> params;
  std::vector<std::string> hooks;     ///< the functions that it gives, in the order of the interface
  std::vector<std::string> settings;  ///< that it has, as "backfill = easy"
  Claims claims;                      ///< what holds in all its runs
};

/// What a policy is loaded with.
struct PolicyContext {
  Limits limits;
  std::uint64_t seed = 1;
  std::vector<JobClass> classes = MetricsOptions{}.classes;  ///< for job.class
  std::vector<ModuleRoot> roots;                             ///< where `require` looks
  PrintSink print;                                           ///< absent: standard error
};

/// The hooks of a policy, empty where it does not have them.
struct PolicyHooks {
  Hook checkpoint, estimate, key, dynamic_key, may_start, begin, submitted, started, resized, asks, ended, withdrawn,
      schedule;
};

class FieldReader;

class Policy {
 public:
  /// Loads and checks a policy. `params` (a table) overrides defaults; names that the policy does not have are an error
  /// if `strict_params`. Throws InputError.
  Policy(const Script& script, const Value& params, const PolicyContext& context, bool strict_params = true);
  /// Reads a policy from a table that is in a state already, e.g. one that a test wrote down; it is left as it is. The
  /// state outlives the policy; its limits, modules, random stream and `print` stay its own. `file` is for messages.
  Policy(LuaState& state, const LuaRef& table, const std::string& file, const Value& params,
         const PolicyContext& context, bool strict_params = true);

  const PolicyDescription& description() const { return description_; }
  /// Returns all parameters with their values in this run.
  const Value& params() const { return params_; }
  /// Returns settings of the ready-made scheduler; its functions are not set.
  const QueueSchedulerOptions& options() const { return settings_.options; }
  const PolicyHooks& hooks() const { return hooks_; }
  /// Returns whether the hook `schedule` is asked only in passes in which a waiting job needs no more nodes than are
  /// free.
  bool passes_with_room() const { return settings_.passes_with_room; }
  /// Returns whether it may suspend jobs in place.
  bool suspends() const { return settings_.suspends; }
  /// Returns whether it counts GPUs or nodes by kind.
  bool counts_units() const { return settings_.counts_units; }
  /// Returns the time slices, if the policy has them.
  const std::optional<SliceSettings>& slices() const { return settings_.slices; }
  /// Returns what is computed for each owner of jobs, if the policy has it.
  const std::optional<ShareSetting>& share() const { return settings_.share; }
  /// Returns how jobs share nodes, if the policy lets them.
  const std::optional<SharingSettings>& sharing() const { return settings_.sharing; }
  /// Returns the coscheduling of processes, if the policy has it.
  const std::optional<CoschedulingSettings>& coscheduling() const { return settings_.coscheduling; }
  /// Returns which nodes a job gets, if the policy says it.
  const std::optional<PlacementSetting>& placement() const { return placement_; }
  /// Returns what the policy's scripts draw random numbers from; null: another state's.
  const RandomLibrary* random() const { return random_ ? &*random_ : nullptr; }
  const LuaRef& params_table() const { return params_table_; }
  const std::vector<JobClass>& classes() const { return classes_; }
  LuaState& state() { return *state_; }

 private:
  void read(const LuaRef& table, const Script& script, const Value& given, bool strict_params);
  void read_head(const FieldReader& fields);
  void read_params(const FieldReader& fields, const Script& script, const Value& given, bool strict);
  void read_where(const FieldReader& fields);
  void read_hooks(const FieldReader& fields);

  std::unique_ptr<LuaState> own_state_;
  LuaState* state_;
  std::optional<RandomLibrary> random_;
  PolicyDescription description_;
  Value params_;
  PolicySettings settings_;
  std::vector<JobClass> classes_;
  LuaRef params_table_;
  PolicyHooks hooks_;
  std::optional<PlacementSetting> placement_;
};

}  // namespace coslice

// Which settings of slurm.conf are known, and who uses each: settings.cpp (kImporter), the policy in
// lua/lib/slurm_*.lua (its parameters), nobody.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coslice::slurm {

enum class SettingKind {
  // Parameters of the policy:
  kShort,   ///< a number of 16 bits (setting_types.h)
  kNumber,  ///< one of 32 bits
  kCount,   ///< a number in decimal, of a word in SchedulerParameters
  kSpan,    ///< a span of time; seconds
  kFlag,    ///< YES or NO
  kText,    ///< as it stands
  // Others:
  kImporter,  ///< the importer itself uses it (settings.cpp)
  kHarmless,  ///< nothing that a scheduler decides depends on it
  kCosts,     ///< it bears on scheduling, and is not modelled
};

struct SettingRow {
  std::string_view name;
  SettingKind kind;
  std::string_view effect = {};              ///< of kCosts: what may differ for want of it
  std::string_view words = {};               ///< that its value may have, with commas between them; empty: any value
  bool closed = false;                       ///< there are no others: Slurm does not start with them
  std::int64_t least = 0, most = INT32_MAX;  ///< of kCount and kShort: others are its default
};

/// Words of a PreemptMode, of the cluster and of partitions, with commas between them.
inline constexpr std::string_view kPreemptModes =
    "OFF,CANCEL,GANG,REQUEUE,SUSPEND,WITHIN,CLUSTER,ON,PRIORITY,CHECKPOINT";

/// Returns the row of a setting, whatever its case; null: Slurm's settings here do not have it.
const SettingRow* find_setting(std::string_view name);
/// Returns the row of a word in SchedulerParameters, likewise. Flags stand there without a value.
const SettingRow* find_scheduler_parameter(std::string_view name);
/// Returns the names of all words of SchedulerParameters that are known.
const std::vector<std::string>& scheduler_parameter_names();
/// Returns the names of all settings that stand in the table in full.
const std::vector<std::string>& setting_names();
/// Returns whether a setting is a parameter of the policy. Scenarios list these in the order of the table.
bool is_policy_parameter(SettingKind kind);

}  // namespace coslice::slurm

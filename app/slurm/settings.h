// The settings of slurm.conf that are about scheduling: parameters of the policy, and what jobs get that do not say it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/value.h"
#include "slurm/conf_lines.h"
#include "slurm/import_page.h"

namespace coslice::slurm {

struct SiteSettings {
  std::string cluster;  ///< "": not said
  /// The policy's parameters under Slurm's names, those that the file sets, in the order of the list, each with its
  /// place.
  std::vector<std::pair<std::string, Value>> params;
  std::int64_t memory_per_cpu = 0, memory_per_node = 0;  ///< defaults of jobs, MiB; 0: not said
  bool whole_nodes = false;                              ///< SelectType=select/linear: a job has its nodes for itself
  bool memory_counts = false;                            ///< memory is a resource: CR_..._Memory
  std::int64_t over_limit = 0;                           ///< OverTimeLimit, s: for how long jobs may run on
  std::int64_t kill_wait = 30;                           ///< KillWait, s
  bool least_loaded = false;                             ///< CR_LLN
  bool serial_at_end = false;                            ///< pack_serial_at_end
  bool one_task_per_core = false, whole_cores = false,
       whole_sockets = false;                              ///< CR_ONE_TASK_PER_CORE, CR_Core, CR_Socket
  std::int64_t suspend_time = -1;                          ///< SuspendTime, s; -1: nodes are never powered down
  std::int64_t resume_timeout = 60, suspend_timeout = 30;  ///< s
  std::vector<std::string> stays_on, partitions_stay_on;   ///< SuspendExcNodes, SuspendExcParts
  /// All that is set, as it stands, words of SchedulerParameters among them: the later of two comes first.
  std::vector<Setting> said;

  /// Returns the setting of that name, or null.
  const Setting* find(std::string_view name) const;
};

/// Returns the lines without settings that stand again below: Slurm takes the latest value, and warns. Of lines such as
/// NodeName=... each counts; there a key that is doubled within the line is warned of.
std::vector<ConfLine> latest_settings(const std::vector<ConfLine>& conf, ImportPage& page);

/// Reads the lines that are about neither nodes nor partitions nor licences; what is set and means nothing here is
/// named in the page. Throws InputError with file and line for values that cannot be read.
SiteSettings read_settings(const std::vector<ConfLine>& conf, ImportPage& page);

}  // namespace coslice::slurm

// What stands in for limits that a log does not have.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "workload/workload.h"

namespace coslice {

/// A limit is never below the run time: a job without a limit was free to run that long.
struct MissingLimits {
  enum class Rule {
    kRunTime,    ///< the run time itself: a scheduler that plans with limits knows it exactly
    kFactor,     ///< the run time times a factor
    kFixed,      ///< the same for all
    kPartition,  ///< that of the job's partition
  };
  Rule rule = Rule::kRunTime;
  double factor = 1;                            ///< for kFactor, at least 1
  Duration fixed{0};                            ///< for kFixed
  std::map<std::int32_t, Duration> partitions;  ///< for kPartition
  std::optional<Duration> others;               ///< for kPartition: of partitions that are not named
};

/// How readers end their note on jobs without a limit.
inline constexpr const char* kRunTimeIsLimit = "the run time is the limit";

/// Jobs whose log has no limit.
std::int64_t count_missing_limits(const Workload& workload);
/// Sets the limits of those jobs, and says in the notes what was done. Throws InputError if a job's partition has no
/// limit, or a limit would be beyond 31 years.
void set_missing_limits(Workload& workload, const MissingLimits& rule);
/// Lets the notes say something else than that the run time is the limit.
void note_missing_limits(Workload& workload, const std::string& words);

}  // namespace coslice

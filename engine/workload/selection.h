// Which jobs of a workload are simulated.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workload/workload.h"

namespace coslice {

/// Conditions on a job. An empty list and an absent range say nothing. -1 in a list is "not known".
struct Selection {
  std::vector<std::int32_t> users, groups, executables, queues, partitions, statuses;
  std::optional<std::array<std::int64_t, 2>> sizes;  ///< processes, from and to, both within
  std::optional<std::array<Duration, 2>> runtimes;   ///< [from, to)
  /// Time of day of the submission, [from, to) in hours, local time of the log; over midnight where from is above to.
  std::optional<std::array<double, 2>> hours;
  /// Day of the submission, [from, to) in seconds since 1970 of the log's local calendar.
  std::optional<std::array<std::int64_t, 2>> dates;

  /// The names of the conditions that it has, "users, hours"; "" if there are none.
  std::string conditions() const;
};

/// Leaves jobs that fulfil all conditions of `keep` and none of `drop`, and notes how many were left out. Throws
/// InputError if a time of day or a date is asked for and the header does not say it.
void select_jobs(Workload& workload, const Selection& keep, const Selection& drop);

}  // namespace coslice

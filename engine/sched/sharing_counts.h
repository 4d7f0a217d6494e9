// What sharing nodes came to in a run.
#pragma once

#include <cstdint>

namespace coslice {

/// Over all groups. The gain of a group is what its members' work would take with one process on each node, beyond the
/// node-seconds that the group took, relative to these (Zeng 2009, Equation 6).
struct SharingCounts {
  std::int64_t groups = 0;          ///< formed
  std::int64_t grouped_jobs = 0;    ///< members, a job counted once for each group that it was in
  std::int64_t jobs_in_groups = 0;  ///< jobs that were in a group at least once
  double gain_promised = 0;         ///< sum over the groups
  double gain_had = 0;              ///< the same, from what was really done while the groups lasted
};

/// What sharing did to one job.
struct SharedJob {
  std::int32_t ppn = 0;     ///< processes on each of its nodes; 0: it did not start
  std::int32_t groups = 0;  ///< that it was in
};

}  // namespace coslice

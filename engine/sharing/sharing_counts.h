// What sharing nodes came to in a run.
#pragma once

#include <cstdint>

#include "core/time.h"

namespace coslice {

/// Over all sharing groups. The gain of a group is what its members' work would take with one process on each node,
/// beyond the node-seconds that the group took, relative to these (Zeng 2009, Equation 6).
struct SharingCounts {
  std::int64_t groups = 0;                           ///< formed
  std::int64_t grouped_jobs = 0;                     ///< members, a job counted once for each group that it was in
  std::int64_t jobs_in_groups = 0;                   ///< jobs that were in a group at least once
  double gain_promised = 0;                          ///< sum over the groups
  double gain_had = 0;                               ///< the same, from what was really done while the groups lasted
  std::int64_t attempts = 0;                         ///< searches for jobs to match with a primary one
  std::int64_t attempts_vain = 0;                    ///< of them, those in which no job could share nodes with it
  std::int64_t attempts_few = 0;                     ///< fewer than kFewCandidates could, or none
  static constexpr std::int64_t kFewCandidates = 4;  ///< Zeng 2009, Section 5.3
};

/// On which cores of its nodes a job's processes run.
enum class Layout : std::uint8_t {
  kAcross,  ///< on different processors first; those of two jobs on cores of the same ones (Zeng 2009, Figure 12)
  kWithin,  ///< on the cores of one processor first; two jobs share no processor (Figure 17)
};

/// What sharing did to one job.
struct SharedJob {
  std::int32_t ppn = 0;     ///< processes on each of its nodes; 0: it did not start
  std::int32_t groups = 0;  ///< that it was in
  /// The response time that it was to keep, by what was expected when it came and the policy's slack; Duration::max()
  /// if the policy set none.
  Duration bound = Duration::max();
};

}  // namespace coslice

// For how long the jobs of a real machine will run: drawn, as for `coslice forecast`, from what jobs of the same users
// and limits did (lab/forecast/run_times.h).
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.h"
#include "core/time.h"
#include "drive/present.h"
#include "formats/recorded.h"
#include "lab/forecast/run_times.h"
#include "slurm/site.h"

namespace coslice::drive {

/// Returns how long the last jobs of a record ran that had a limit. Users are known by their names, as `users` has
/// them, which gets numbers of new ones.
RunTimeHistory run_times_of_record(const RecordedWorkload& record, slurm::NumbersOfNames& users);

/// Of one present state.
class DrawnRunTimes {
 public:
  /// `before`: of jobs that have ended. What the running jobs have run for counts beside them. `present` outlives it.
  DrawnRunTimes(const Present& present, RunTimeHistory before, std::uint64_t seed);

  /// Returns run times by JobIndex, none beyond its limit. They depend on the seed and `draw` alone.
  std::vector<Duration> draw(std::uint64_t draw) const;

 private:
  JobKind kind_of(JobIndex j) const;
  /// For how long it has run; 0: it waits.
  Duration ran(JobIndex j) const;

  const Present& present_;
  RunTimeHistory history_;
  RandomKey key_;
};

}  // namespace coslice::drive

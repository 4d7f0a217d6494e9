// Where a snapshot shows that the simulated machine is not the real one: jobs that have waited beside nodes that were
// free, and on which they start here at once. In the real one something keeps them that the scenario does not have.
#pragma once

#include <vector>

#include "lab/forecast/forecast.h"

namespace coslice {

/// A start so soon after the snapshot is one that the scheduler could have made before it.
inline constexpr Duration kAtOnce = whole_seconds(5 * 60);

/// Returns when a running job is over at the latest, by its limit and what it may run beyond it; kNever: limits end no
/// jobs.
Time latest_end(const ForecastBase& base, JobIndex j, Time start);

/// Returns the waiting jobs that start within kAtOnce in nine of ten runs, on nodes that no job has left in the quarter
/// of an hour before, or leaves by its limit within kAtOnce, and have waited for half an hour at least; in the order of
/// their JobIndex. None on a machine of equal nodes, whose names are not known.
std::vector<JobIndex> kept_beside_free_nodes(const ForecastBase& base, const MachineState& state,
                                             const std::vector<ForecastRun>& runs);

}  // namespace coslice

// Which waiting jobs their policy's limits never let start, and why: a forecast names them instead of saying that they
// start after its horizon.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lab/forecast/forecast.h"

namespace coslice {

/// Returns why jobs of these never start, as their policy says it where nothing else runs or waits any more; of others
/// nothing. It is found in one simulation in which they alone wait, jobs that ask for the same as one another as one;
/// it takes no more than options.most_work. `stop` is asked now and then and may throw.
std::map<JobIndex, std::string> why_never_start(const ForecastBase& base, const MachineState& state,
                                                const ForecastOptions& options, const std::vector<JobIndex>& jobs,
                                                const std::function<void()>& stop);

}  // namespace coslice

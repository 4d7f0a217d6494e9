// Instants and names of a site's record on the command line.
#pragma once

#include <string>

#include "formats/recorded.h"
#include "lab/forecast/forecast_text.h"

namespace coslice::cli {

/// Seconds of the trace, or a date by its calendar. Throws InputError that names the flag.
Time instant_of(const std::string& flag, const std::string& text, const TraceHeader& header);

/// What the site calls the jobs of `workload`, which are some of the trace's.
ForecastNames names_of_jobs(const Workload& workload, const RecordedWorkload& trace);

}  // namespace coslice::cli

// Dates and times of day along an axis of time.
#pragma once

#include <vector>

#include "report/charts/axis_ticks.h"
#include "workload/trace_clock.h"

namespace coslice {

/// As many round local times as fit beside one another on this many pixels, with letters of this width, for seconds of the
/// trace from `low` to `high`, which is more than `low`. Midnights are dates, "2026-03-02"; other times are "06:00", the first
/// of them with its date if there is no midnight. Of a few seconds, seconds of the trace.
std::vector<AxisValue> dates_that_fit(const TraceClock& clock, double low, double high, double pixels, double letter);

}  // namespace coslice

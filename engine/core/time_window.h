// Spans of time.
#pragma once

#include <vector>

#include "core/time.h"

namespace coslice {

/// [from, to).
struct TimeWindow {
  Time from, to;
  bool operator==(const TimeWindow&) const = default;
};
/// In order of time, without common instants.
using TimeWindows = std::vector<TimeWindow>;

}  // namespace coslice

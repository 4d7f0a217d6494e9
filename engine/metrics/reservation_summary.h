// What reservations of nodes came to.
#pragma once

#include <cstdint>

#include "observers/result.h"

namespace coslice {

struct ReservationSummary {
  std::int64_t windows = 0;  ///< that began
  std::int64_t late = 0;     ///< of them, those in which jobs that were there already stayed on some nodes
  double reserved = 0;       ///< node-seconds
  double used = 0;           ///< of it, by jobs that are entitled
  double backfilled = 0;     ///< of it, by others that are short enough
  double withheld = 0;       ///< of it, by others that had started before or ran longer than believed
};

/// Of [from, to), which is longer than 0. Precondition: result.reservations is not empty.
ReservationSummary summarize_reservations(const RunResult& result, Time from, Time to);

}  // namespace coslice

// Reservations of nodes whose nodes were not there for them: jobs of others, which had started before, stayed on some.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "observers/result.h"

namespace coslice {

struct LateReservation {
  std::string name;
  std::int64_t windows = 0;  ///< of it that began
  std::int64_t late = 0;     ///< of them, those in which jobs of others stayed
  Time first{};              ///< when the first of these began, or was announced
  double reserved = 0;       ///< node-seconds of the late ones
  double withheld = 0;       ///< node-seconds of them that jobs of others had
};

/// The reservations with late windows, in their order.
std::vector<LateReservation> late_reservations(const RunResult& result);
/// A line about each, for people.
std::vector<std::string> late_reservation_warnings(const RunResult& result);

}  // namespace coslice

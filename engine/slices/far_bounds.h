// Bounds in the time of a class that lie far ahead may be a little off, on the safe side: else they would move with each slice.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/time.h"

namespace coslice {

class FarBounds {
 public:
  /// `now` in the time of the class.
  FarBounds(Time now, Duration interval) : now_(now), interval_(interval) {}
  /// Whether `old`, on the safe side of `bound`, may stay.
  bool near_enough(Time old, Time bound) const {
    if (old == bound) return true;
    const Duration far = bound - now_;
    return far > kFarAway * interval_ && std::max(old, bound) - std::min(old, bound) <= far / kRoughly;
  }

 private:
  /// Further away than so many intervals, it may be wrong by that part.
  static constexpr std::int64_t kFarAway = 8, kRoughly = 16;
  Time now_;
  Duration interval_;
};

}  // namespace coslice

// How much productive time a class will have had at an instant of the wall clock, at least and at most: so its
// scheduler, whose clock runs in its slices only, sees what is known on the wall clock. Shares that are asked for each
// interval are taken to be those of the classes from the next one on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/time.h"
#include "slices/slices.h"

namespace coslice {

// Bounds in the time of a class that lie far ahead may be a little off, on the safe side: else they would move with
// each slice.

struct FarBounds {
  /// Times further in the future than kFarAway intervals may be wrong by one part in kRoughly.
  static constexpr std::int64_t kFarAway = 8, kRoughly = 16;
  Time now;  ///< in the time of the class
  Duration interval;

  /// Returns whether `old`, on the safe side of `bound`, may stay.
  bool near_enough(Time old, Time bound) const {
    if (old == bound) return true;
    const Duration far = bound - now;
    return far > kFarAway * interval && std::max(old, bound) - std::min(old, bound) <= far / kRoughly;
  }
  /// Returns whether `old` may stay for the window `bound`, which it contains.
  bool near_enough(const TimeWindow& old, const TimeWindow& bound) const {
    return old.from <= bound.from && bound.to <= old.to && near_enough(old.from, bound.from) &&
           near_enough(old.to, bound.to);
  }
};

class SliceOutlook {
 public:
  /// Makes the outlook. Both references outlive it.
  SliceOutlook(const SliceOptions& options, const SliceClock& clock);

  /// What the class has of the rest of this interval, at least and at most: reckoned once for many instants.
  struct Rest {
    Duration least{0}, most{0};
  };
  Rest rest(std::size_t job_class) const {
    if (clock_.endless()) return {};
    return {in_interval(job_class, kNever, Others::kLongest), in_interval(job_class, kNever, Others::kNone)};
  }
  /// Returns where the window lies in the time of the class, in which it is `now`: not shorter than it can turn out to
  /// be, and not empty even if the class has no time in it. Of a class without slices of its own, whose jobs run when
  /// others leave them room, nothing is known: they are started as if they ran all the time.
  TimeWindow in_time_of(std::size_t job_class, const TimeWindow& wall, Time now, const Rest& rest) const;
  /// Returns the productive time of the class from now until `wall`, if each slice on demand takes its longest time.
  Duration at_least(std::size_t job_class, Time wall, const Rest& rest) const {
    return wall > next_interval() ? rest.least + beyond(job_class, wall, Others::kLongest)
                                  : in_interval(job_class, wall, Others::kLongest);
  }
  /// Returns the productive time of the class from now until `wall`, if other classes have no slices on demand.
  Duration at_most(std::size_t job_class, Time wall, const Rest& rest) const {
    if (clock_.endless()) return wall - clock_.now();
    return wall > next_interval() ? rest.most + beyond(job_class, wall, Others::kNone)
                                  : in_interval(job_class, wall, Others::kNone);
  }

 private:
  /// Slices on demand of other classes.
  enum class Others : std::uint8_t { kLongest, kNone };
  using Turn = SliceClock::Typical;
  SliceClock::Wants wants(std::size_t job_class, Others others) const;
  Turn turn(const SliceOptions& fixed, std::size_t job_class, Others others) const;
  Duration in_interval(std::size_t job_class, Time wall, Others others) const;
  Duration beyond(std::size_t job_class, Time wall, Others others) const;
  /// Returns when the interval after this one begins.
  Time next_interval() const { return std::max(clock_.now(), clock_.plan().interval_end()); }

  const SliceOptions& options_;
  const SliceClock& clock_;
  std::vector<Turn> least_, most_;  ///< by class, in an interval to come
};

}  // namespace coslice

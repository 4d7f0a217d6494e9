// The availability profile: how many nodes are believed free at each instant from now on.
//
// Ordered steps (time, free); the last one extends to infinity with free = capacity. Neighbours with equal counts are
// merged. Counts decide *when* a job can run; which nodes it gets is decided when it starts (cluster.h).
// A profile is a plain value: a what-if is a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/time.h"

namespace coslice {

class Profile {
 public:
  /// All `capacity` nodes free from `start` on.
  Profile(std::int32_t capacity, Time start);

  std::int32_t capacity() const;
  /// Forgets everything before `now`. Later questions must not ask about earlier instants.
  void advance(Time now);
  /// Free nodes at t.
  std::int32_t free_at(Time t) const;
  /// The smallest count in [from, to).
  std::int32_t min_free(Time from, Time to) const;
  /// The first t >= after with at least n free nodes throughout [t, t + d); kNever if n > capacity.
  Time earliest(std::int32_t n, Duration d, Time after) const;
  /// The first t in [after, before) with at least n free nodes throughout [t, min(t + d, before)); kNever if none.
  /// This tells whether a reservation that begins at `before` can move up without taking it out first.
  Time earliest_before(std::int32_t n, Duration d, Time after, Time before) const;
  /// Takes n nodes in [from, to). Precondition: that many are free throughout.
  void reserve(Time from, Time to, std::int32_t n);
  /// Gives n nodes back in [from, to). Precondition: that many were taken throughout.
  void release(Time from, Time to, std::int32_t n);
  /// Number of steps.
  std::size_t steps() const;
  /// Calls f(time, free) for each step in order of time.
  void for_each_step(const std::function<void(Time, std::int32_t)>& f) const;
};

}  // namespace coslice

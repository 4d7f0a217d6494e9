// The availability profile: how many nodes are believed free at each instant from now on.
//
// Ordered steps (time, free); the last one extends to infinity with free = capacity. Neighbours with equal counts are
// merged. Counts decide *when* a job can run; which nodes it gets is decided when it starts (cluster.h).
// A profile is a plain value: a what-if is a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/time.h"

namespace coslice {

/// Free nodes as a step function of time. An interval is half open; one that is empty (to <= from) changes nothing
/// and a question about it is a question about its first instant, because a job of no length needs its nodes too.
/// What lies before the profile's start (see advance) is forgotten: changes there are ignored. kNever is the end of
/// time, and sums of times stop there.
class Profile {
 public:
  /// All `capacity` nodes free from `start` on.
  Profile(std::int32_t capacity, Time start);

  std::int32_t capacity() const { return capacity_; }
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
  void reserve(Time from, Time to, std::int32_t n) { add(from, to, -n); }
  /// Gives n nodes back in [from, to). Precondition: that many were taken throughout.
  void release(Time from, Time to, std::int32_t n) { add(from, to, n); }
  /// Number of steps.
  std::size_t steps() const { return times_.size(); }
  /// Calls f(time, free) for each step in order of time.
  template <typename F>
  void for_each_step(F&& f) const {
    for (std::size_t i = 0; i < times_.size(); ++i) f(times_[i], free_[i]);
  }

 private:
  std::size_t step_at(Time t) const;
  std::size_t split(Time t);
  void merge(std::size_t i);
  void add(Time from, Time to, std::int32_t n);

  std::int32_t capacity_;
  std::vector<Time> times_;
  std::vector<std::int32_t> free_;
};

}  // namespace coslice

#include "cluster/profile.h"

#include <algorithm>
#include <cassert>

namespace coslice {

Profile::Profile(std::int32_t capacity, Time start) : capacity_(capacity), times_{start}, free_{capacity} {}

/// The step that covers t (the first if t lies before it).
std::size_t Profile::step_at(Time t) const {
  const auto after = std::upper_bound(times_.begin(), times_.end(), t);
  return after == times_.begin() ? 0 : static_cast<std::size_t>(after - times_.begin()) - 1;
}

void Profile::advance(Time now) {
  const auto i = static_cast<std::ptrdiff_t>(step_at(now));
  times_.erase(times_.begin(), times_.begin() + i);
  free_.erase(free_.begin(), free_.begin() + i);
  times_.front() = std::max(times_.front(), now);
}

std::int32_t Profile::free_at(Time t) const { return free_[step_at(t)]; }

std::int32_t Profile::min_free(Time from, Time to) const {
  std::size_t i = step_at(from);
  std::int32_t least = free_[i];
  while (++i < times_.size() && times_[i] < to) least = std::min(least, free_[i]);
  return least;
}

Time Profile::earliest(std::int32_t n, Duration d, Time after) const {
  return earliest_before(n, d, after, kNever);
}

Time Profile::earliest_before(std::int32_t n, Duration d, Time after, Time before) const {
  after = std::max(after, times_.front());
  Time start = after;
  bool open = false;  // whether [start, step i) has enough
  for (std::size_t i = step_at(after); i < times_.size() && times_[i] < before; ++i) {
    if (open && times_[i] >= later(start, d)) return start;
    if (free_[i] < n) {
      open = false;
    } else if (!open) {
      open = true;
      start = std::max(after, times_[i]);
    }
  }
  return open && start < before ? start : kNever;
}

/// Makes t the beginning of a step and returns its index.
std::size_t Profile::split(Time t) {
  const std::size_t i = step_at(t);
  if (times_[i] == t) return i;
  const auto at = static_cast<std::ptrdiff_t>(i) + 1;
  times_.insert(times_.begin() + at, t);
  free_.insert(free_.begin() + at, free_[i]);
  return i + 1;
}

/// Drops step i if it says the same as the one before.
void Profile::merge(std::size_t i) {
  if (i == 0 || i >= times_.size() || free_[i] != free_[i - 1]) return;
  times_.erase(times_.begin() + static_cast<std::ptrdiff_t>(i));
  free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(i));
}

void Profile::add(Time from, Time to, std::int32_t n) {
  from = std::max(from, times_.front());
  if (from >= to || n == 0) return;
  const std::size_t first = split(from);
  const std::size_t last = split(to);
  for (std::size_t i = first; i < last; ++i) {
    free_[i] += n;
    assert(free_[i] >= 0 && free_[i] <= capacity_);
  }
  merge(last);
  merge(first);
}

}  // namespace coslice

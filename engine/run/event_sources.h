// The order in which what happens at one instant is handled, as a list of sources of events.
#pragma once

#include <algorithm>

#include "core/time.h"

namespace coslice {

/// Lists the sources of events of a run. Each source is a class with two functions: `next(run)`, when something of it
/// happens next (kNever: nothing is known), and `handle(run)`, which lets all happen that is due.
template <class... Sources>
struct EventSources {
  /// Returns when something happens next.
  template <class Run>
  static Time next(const Run& run) {
    Time t = kNever;
    ((t = std::min(t, Sources::next(run))), ...);
    return t;
  }
  /// Lets happen what is due by `now`, source by source.
  template <class Run>
  static void handle(Run& run, Time now) {
    ((Sources::next(run) <= now ? Sources::handle(run) : void()), ...);
  }
};

}  // namespace coslice

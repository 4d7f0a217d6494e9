// What a walk along the queue has seen just before the starts of reservations: where many jobs alike wait, many of them
// have reservations for the same instants.
#pragma once

#include <array>
#include <cstdint>

#include "core/time.h"

namespace coslice {

/// Upper bounds on the nodes that are free just before a few instants: nodes that are taken leave them true.
class FreeBefore {
 public:
  void clear() { seen_.fill(Seen{}); }

  /// No more nodes are free just before t. `look` is asked for their number where t is not known.
  template <class F>
  std::int32_t at(Time t, F&& look) {
    Seen& seen = seen_[static_cast<std::uint64_t>(t.time_since_epoch().count()) * 0x9E3779B97F4A7C15U >> 60];
    if (seen.instant != t) seen = {t, look()};
    return seen.free;
  }

  /// Nodes became free in [from, to).
  void gained(Time from, Time to) {
    for (Seen& seen : seen_)
      if (seen.instant > from && seen.instant <= to) seen.instant = kNever;
  }

 private:
  struct Seen {
    Time instant = kNever;
    std::int32_t free = 0;
  };

  std::array<Seen, 16> seen_;
};

}  // namespace coslice

// What a walk along the queue has learnt about holes in the profile: a job that needs no fewer nodes for no less time
// than one that was asked before it cannot begin earlier. Without it, each question begins its search at the present.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "core/time.h"

namespace coslice {

/// The last few answers to "where is the first hole of n nodes for d?". Each says that no such hole begins before
/// `bound`, and is kept true while nodes are given back later on. Nodes that are taken only make it truer.
class HoleMemo {
 public:
  void clear() { answers_.fill(Answer{}); }

  /// No hole of n nodes for d begins before that instant.
  Time no_hole_before(std::int32_t n, Duration d, Time now) const {
    Time bound = now;
    for (const Answer& a : answers_)
      if (a.nodes <= n && a.duration <= d) bound = std::max(bound, a.bound);
    return bound;
  }

  /// Notes that no hole of n nodes for d begins before `bound`. Goes over an answer that says less, else the earliest.
  void note(std::int32_t n, Duration d, Time bound) {
    Answer* worst = &answers_[0];
    for (Answer& a : answers_) {
      if (a.nodes >= n && a.duration >= d && a.bound <= bound) {
        worst = &a;
        break;
      }
      if (a.bound < worst->bound) worst = &a;
    }
    *worst = {n, d, bound};
  }

  /// Nodes became free from `from` on. `before` are free just before it: a hole that needs more begins at `from` or
  /// later.
  void gained(Time now, Time from, std::int32_t before) {
    for (Answer& a : answers_) {
      if (a.bound <= now || from - a.bound >= a.duration) continue;
      a.bound = std::min(a.bound, a.nodes > before ? from : std::max(now, from - a.duration));
    }
  }

 private:
  struct Answer {
    std::int32_t nodes = std::numeric_limits<std::int32_t>::max();
    Duration duration{};
    Time bound = Time{Duration::min()};
  };

  std::array<Answer, 4> answers_;
};

}  // namespace coslice

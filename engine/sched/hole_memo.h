// What a walk along the queue has learnt about holes in the profile: a job that needs no fewer nodes for no less time
// than one that was asked before it cannot begin earlier. Without it, each question begins its search at the present.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "core/time.h"

namespace coslice {

// What a walk along the queue has seen just before the starts of reservations: where many jobs alike wait, many of them
// have reservations for the same instants.

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

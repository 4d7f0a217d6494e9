// EASY's rule: what may start now without delaying the first job that waits.
#pragma once

#include "sched/view.h"

namespace coslice {

/// Anything that ends by the shadow time, or takes at most the spare nodes.
struct EasyHole {
  /// That the waiting job at `head` leaves. It may be a place in a queue that is not in order.
  EasyHole(const View& view, View::Position head);

  bool in_time(Duration d) const { return d <= window; }
  /// Whether a job of n nodes may pass. Without a branch, as scans of long queues want it.
  bool takes(Duration d, std::int32_t n) const { return static_cast<bool>(int{in_time(d)} | int{n <= extra}); }
  /// A job that may pass starts.
  void start(Duration d, std::int32_t n) {
    if (!in_time(d)) extra -= n;
  }

  Time shadow;         ///< when the job can start at the latest; kNever if it never can
  std::int32_t extra;  ///< spare nodes: what it leaves then, for as long as it is believed to run
  Duration window;     ///< from now to the shadow time
};

}  // namespace coslice

// EASY's rule: what may start now without delaying the first job that waits.
#pragma once

#include <cstdint>

#include "core/time.h"

namespace coslice {

/// What a waiting job leaves to others where one count of nodes says it (NodeCount::hole): anything that ends by the
/// shadow time, or takes at most the spare nodes.
struct EasyHole {
  bool in_time(Duration d) const { return d <= window; }
  /// Whether a job of n nodes may pass. Without a branch, as scans of long queues want it.
  bool takes(Duration d, std::int32_t n) const { return static_cast<bool>(int{in_time(d)} | int{n <= extra}); }
  /// A job that may pass starts.
  void start(Duration d, std::int32_t n) {
    if (!in_time(d)) extra -= n;
  }

  Time shadow = kNever;    ///< when the job can start at the latest; kNever if it never can
  std::int32_t extra = 0;  ///< spare nodes: what it leaves then, for as long as it is believed to run
  Duration window{};       ///< from now to the shadow time
};

}  // namespace coslice

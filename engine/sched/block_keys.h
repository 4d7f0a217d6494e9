// Keys that are computed where a pass needs them. A pass wants the first job of the queue, and the best of those that may
// pass it; a number that no key of a block of entries is below tells which blocks these can be in.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sched/view.h"

namespace coslice {

/// Lowest keys first. Functions of the same pass see the same keys.
struct BlockKeys {
  /// A pass begins. `least[b]` becomes a number that no key in that block of WaitingQueue::kBlock entries is below, by
  /// block of View::loose_queue(); where `known[b]`, it is the least key, and the keys of the block have been written to the
  /// queue. False: the keys cannot be had so. Empty: the queue must be sorted by QueueSchedulerOptions::rekey.
  std::function<bool(View&, std::vector<double>& least, std::vector<std::uint8_t>& known)> begin;
  /// Writes the keys of the positions `from` up to `to`; what it writes for taken entries means nothing.
  std::function<void(WaitingQueue::Position from, WaitingQueue::Position to, double* keys)> compute;
  /// The entry was taken: its block may have another least key from the next pass on.
  std::function<void(WaitingQueue::Position p)> taken;

  explicit operator bool() const { return static_cast<bool>(begin); }
};

}  // namespace coslice

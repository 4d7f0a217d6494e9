// The shortest entry of each block of the waiting queue, for scans that pass over blocks in which every entry takes too long.
// Kept from pass to pass, and apart from the queue: most schedulers do not need it.
#pragma once

#include <algorithm>
#include <vector>

#include "sched/waiting_queue.h"

namespace coslice {

class ShortestBlocks {
 public:
  /// Follows what was done to the queue since it was asked last, but for entries that were taken.
  void follow(const WaitingQueue& queue) {
    std::size_t block = version_ == queue.order_version() ? rows_ / WaitingQueue::kBlock : 0;
    rows_ = queue.end();
    version_ = queue.order_version();
    shortest_.resize((rows_ + WaitingQueue::kBlock - 1) / WaitingQueue::kBlock);
    for (; block < shortest_.size(); ++block) find(queue, block);
  }
  /// Updates the block of the entry at p, which has been taken. Without this call the block's shortest duration is too small,
  /// which costs time and changes no decision.
  void taken(const WaitingQueue& queue, WaitingQueue::Position p) { find(queue, p / WaitingQueue::kBlock); }
  /// Returns a lower bound of the durations in the block.
  Duration operator[](std::size_t block) const { return shortest_[block]; }

 private:
  void find(const WaitingQueue& queue, std::size_t block) {
    const WaitingQueue::Position from = block * WaitingQueue::kBlock;
    const WaitingQueue::Position to = std::min(from + WaitingQueue::kBlock, queue.end());
    Duration least = Duration::max();
    for (WaitingQueue::Position p = from; p != to; ++p)
      least = std::min(least, queue.live(p) ? queue.duration(p) : Duration::max());
    shortest_[block] = least;
  }

  std::vector<Duration> shortest_;  ///< by block
  std::size_t rows_ = 0;            ///< entries that have been looked at
  std::uint64_t version_ = 0;       ///< of the queue then
};

}  // namespace coslice

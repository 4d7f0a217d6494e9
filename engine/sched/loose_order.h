// The first entries of a queue that is not sorted: the smallest key of each block of entries, so that the smallest of all
// is found among as many numbers as there are blocks. A pass needs the first entry, or the first few; sorting twenty
// thousand for them took most of the time of keys that change.
#pragma once

#include <vector>

#include "sched/waiting_queue.h"

namespace coslice {

class LooseOrder {
 public:
  /// Looks at all keys of the queue.
  void look_at(const WaitingQueue& queue);
  /// The live entry with the lowest (key, job index), or the queue's end.
  WaitingQueue::Position first(const WaitingQueue& queue) const;
  /// The entry at p has been taken.
  void taken(const WaitingQueue& queue, WaitingQueue::Position p);

 private:
  static constexpr std::size_t kBlock = 64;
  double smallest(const WaitingQueue& queue, std::size_t block) const;

  std::vector<double> smallest_;  ///< by block, of live entries; infinity without any
};

}  // namespace coslice

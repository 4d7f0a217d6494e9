// The first entries of a queue that is not sorted. Of each block of entries the smallest key is known, or a number that none
// is below; keys are computed only in the blocks that an entry which is looked for can be in. A pass needs the first
// entry, or the first few; computing and sorting twenty thousand keys for them took most of the time of keys that change.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "sched/block_keys.h"
#include "sched/shortest_blocks.h"
#include "sched/waiting_queue.h"

namespace coslice {

class LooseOrder {
 public:
  using Position = WaitingQueue::Position;

  /// Takes the keys of a pass; `keys` outlives the queue's next settling. False if they cannot be had so.
  bool begin(View& view, const BlockKeys& keys);
  /// The live entry with the lowest (key, job index), or the queue's end.
  Position first(const WaitingQueue& queue);
  /// The same among entries that need at most `free` nodes, and for which may(nodes, duration): if one may, so may all that
  /// are smaller and shorter.
  template <class May>
  Position first_of(const WaitingQueue& queue, std::int32_t free, const May& may);
  /// The entry at p has been taken.
  void taken(const WaitingQueue& queue, Position p);

 private:
  static constexpr std::size_t kBlock = WaitingQueue::kBlock;
  static double smallest(const WaitingQueue& queue, std::size_t block);
  void compute(const WaitingQueue& queue, std::size_t block);
  void finish(double* keys);
  std::size_t end_of(std::size_t block) const { return std::min((block + 1) * kBlock, rows_); }
  static bool before(const WaitingQueue& queue, Position a, Position b) {
    return queue.key(a) < queue.key(b) || (queue.key(a) == queue.key(b) && queue.job(a) < queue.job(b));
  }

  const BlockKeys* source_ = nullptr;
  double* keys_ = nullptr;          ///< of the queue, during a pass
  std::size_t rows_ = 0;            ///< entries of the queue when the pass began
  std::vector<double> smallest_;    ///< by block, of live entries, or less; infinity without any
  std::vector<std::uint8_t> known_;  ///< by block: its keys have been computed
  ShortestBlocks shortest_;
};

template <class May>
LooseOrder::Position LooseOrder::first_of(const WaitingQueue& queue, std::int32_t free, const May& may) {
  Position best = queue.end();
  std::array<Position, kBlock> in;
  const auto excluded = [&](std::size_t block) {
    return queue.least_nodes(block) > free || !may(queue.least_nodes(block), shortest_[block]);
  };
  const auto look = [&](std::size_t block) {
    // In a long queue about half of the jobs may, so that a branch would be mispredicted: each is written down, and the next
    // one over those that may not.
    std::size_t found = 0;
    for (Position p = block * kBlock, stop = end_of(block); p != stop; ++p) {
      const std::int32_t n = queue.nodes(p);
      in[found] = p;
      found += static_cast<std::size_t>(int{n <= free} & int{may(n, queue.duration(p))});
    }
    if (found == 0) return;
    if (known_[block] == 0) compute(queue, block);
    for (std::size_t i = 0; i != found; ++i)
      if (best == queue.end() || before(queue, in[i], best)) best = in[i];
  };
  // The most promising block first: with its best, most others need not be looked into.
  std::size_t promising = smallest_.size();
  for (std::size_t b = 0; b != smallest_.size(); ++b)
    if ((promising == smallest_.size() || smallest_[b] < smallest_[promising]) && !excluded(b)) promising = b;
  if (promising == smallest_.size()) return best;
  look(promising);
  for (std::size_t b = 0; b != smallest_.size(); ++b) {
    if (b == promising || (best != queue.end() && smallest_[b] > queue.key(best)) || excluded(b)) continue;
    look(b);
  }
  return best;
}

}  // namespace coslice

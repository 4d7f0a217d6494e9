// The first entries of a queue that is not sorted. Of each block of entries the smallest key is known, or a number that
// none is below; keys are computed only in the blocks that an entry which is looked for can be in. A pass needs the
// first entry, or the first few; computing and sorting twenty thousand keys for them took most of the time of keys that
// change.
#pragma once

#include "schedule/view.h"

namespace coslice {

// Keys that are computed where a pass needs them. A pass needs the first job of the queue, and the best of those that
// may pass it; a number that no key of a block of entries is below tells which blocks these can be in.

/// Lowest keys first. Functions of the same pass see the same keys.
struct BlockKeys {
  /// Begins a pass. `least[b]` becomes a number that no key in that block of WaitingQueue::kBlock entries is below, by
  /// block of View::queue_as_it_is(); where `known[b]`, it is the least key, and the keys of the block have been
  /// written to the queue. Returns false if keys cannot be had so. Empty: the queue must be sorted by
  /// QueueSchedulerOptions::rekey.
  std::function<bool(View&, std::vector<double>& least, std::vector<std::uint8_t>& known)> begin;
  /// Writes the keys of the positions `from` up to `to`; what it writes for taken entries means nothing.
  std::function<void(WaitingQueue::Position from, WaitingQueue::Position to, double* keys)> compute;
  /// Notes that the entry was taken: its block may have another least key from the next pass on.
  std::function<void(WaitingQueue::Position p)> taken;

  explicit operator bool() const { return static_cast<bool>(begin); }
};

// The shortest entry of each block of the waiting queue, for scans that pass over blocks in which every entry takes too
// long. Kept from pass to pass, and apart from the queue: most schedulers do not need it.

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
  /// Updates the block of the entry at p, which has been taken. Without this call the block's shortest duration is too
  /// small, which costs time and changes no decision.
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

class UnsortedQueue {
 public:
  using Position = WaitingQueue::Position;

  /// Takes the keys of a pass; `keys` outlives the queue's next settling. False if they cannot be had so.
  bool begin(View& view, const BlockKeys& keys);
  /// Returns the live entry with the lowest (key, job index); the queue's end if there is none.
  Position first(const WaitingQueue& queue);
  /// Returns the first live entry among those that need at most `free` nodes, and for which may(nodes, duration): if
  /// that holds for one entry, it holds for all that are smaller and shorter.
  template <class May>
  Position first_of(const WaitingQueue& queue, std::int32_t free, const May& may) {
    Position best = queue.end();
    std::array<Position, kBlock> in;
    const auto excluded = [&](std::size_t block) {
      return queue.least_nodes(block) > free || !may(queue.least_nodes(block), shortest_[block]);
    };
    const auto look = [&](std::size_t block) {
      // In a long queue about half of the jobs may, so that a branch would be mispredicted: each is written down, and
      // the next one over those that may not.
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
  /// Notes that the entry at p has been taken.
  void taken(const WaitingQueue& queue, Position p) {
    if (source_->taken) source_->taken(p);
    shortest_.taken(queue, p);
    if (known_[p / kBlock] != 0) smallest_[p / kBlock] = smallest(queue, p / kBlock);
  }

 private:
  static constexpr std::size_t kBlock = WaitingQueue::kBlock;
  static double smallest(const WaitingQueue& queue, std::size_t block);
  void compute(const WaitingQueue& queue, std::size_t block);
  /// Computes the keys that were not needed up to now.
  void finish(double* keys) {
    for (std::size_t b = 0; b != known_.size(); ++b)
      if (known_[b] == 0) source_->compute(b * kBlock, end_of(b), keys);
  }
  std::size_t end_of(std::size_t block) const { return std::min((block + 1) * kBlock, rows_); }
  static bool before(const WaitingQueue& queue, Position a, Position b) {
    return queue.key(a) < queue.key(b) || (queue.key(a) == queue.key(b) && queue.job(a) < queue.job(b));
  }

  const BlockKeys* source_ = nullptr;
  double* keys_ = nullptr;           ///< of the queue, during a pass
  std::size_t rows_ = 0;             ///< entries of the queue when the pass began
  std::vector<double> smallest_;     ///< by block, of live entries, or less; infinity without any
  std::vector<std::uint8_t> known_;  ///< by block: its keys have been computed
  ShortestBlocks shortest_;
};

}  // namespace coslice

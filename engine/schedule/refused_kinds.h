// Which kinds of jobs stand in each block of the waiting queue, for policies that refuse jobs by kind: thousands of
// jobs that fit and may not start are passed over block by block.
#pragma once

#include <array>

#include "jobs/waiting_queue.h"

namespace coslice {

/// Classes of jobs that a policy's veto cannot distinguish. All functions, or none.
struct VetoKinds {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  /// Returns a number that changes whenever jobs are divided in another way; 0: they are not divided.
  std::function<std::uint64_t()> version;
  /// Returns the kind of a waiting job, or kNone.
  std::function<std::uint32_t(JobIndex)> of;
  /// Returns false if jobs of the kind may not start now. Asking changes nothing.
  std::function<bool(std::uint32_t)> may;
};

class RefusedKinds {
 public:
  /// Follows what was done to the queue since it was asked last. False if jobs are not divided into kinds. `kinds`
  /// outlives the pass.
  bool follow(const WaitingQueue& queue, const VetoKinds& kinds) {
    const std::uint64_t version = kinds.version ? kinds.version() : 0;
    if (version == 0) return false;
    kinds_ = &kinds;
    if (version_ != version || order_version_ != queue.order_version()) {
      blocks_.clear();
      rows_ = 0;
    }
    version_ = version;
    order_version_ = queue.order_version();
    blocks_.resize((queue.end() + WaitingQueue::kBlock - 1) / WaitingQueue::kBlock);
    for (; rows_ < queue.end(); ++rows_) add(queue, rows_);
    return kinds.version() == version;  // else a job's kind could not be told, and that ended the division
  }
  /// Returns whether no job of the block may start, as far as that can be told; of one that may be gone, nothing can.
  bool refused(std::size_t block) const {
    return refused(block, [](const Group&) { return true; });
  }
  /// Returns whether no job of the block may start that needs at most `free` nodes and may pass the head (as `hole`
  /// says).
  bool refused(std::size_t block, std::int32_t free, const EasyHole& hole) const {
    return refused(block, [&](const Group& g) { return g.nodes <= free && hole.takes(g.shortest, g.nodes); });
  }
  /// Notes that an entry of the block has been taken, and a script may have run. Returns false if what is known of
  /// blocks no longer holds.
  bool taken(const WaitingQueue& queue, std::size_t block) {
    if (kinds_->version() != version_ || queue.order_version() != order_version_) return false;
    const std::size_t from = block * WaitingQueue::kBlock, to = std::min(from + WaitingQueue::kBlock, rows_);
    blocks_[block] = {};
    for (std::size_t p = from; p != to; ++p) add(queue, p);
    return kinds_->version() == version_;
  }

 private:
  static constexpr std::size_t kMost = 6;
  /// The entries of a kind in a block.
  struct Group {
    std::uint32_t kind;
    std::int32_t nodes;  ///< the fewest that an entry needs
    Duration shortest;
  };
  struct Block {
    std::array<Group, kMost> groups;
    std::size_t count = 0;
    bool more = false;  ///< there are more kinds, or jobs without one
  };
  /// Returns whether no group of the block for which f(group) holds may start.
  template <class F>
  bool refused(std::size_t block, F&& f) const {
    const Block& b = blocks_[block];
    return !b.more && std::none_of(b.groups.begin(), b.groups.begin() + static_cast<std::ptrdiff_t>(b.count),
                                   [&](const Group& g) { return f(g) && kinds_->may(g.kind); });
  }
  void add(const WaitingQueue& queue, WaitingQueue::Position p) {
    Block& b = blocks_[p / WaitingQueue::kBlock];
    if (b.more || !queue.live(p)) return;
    const std::uint32_t kind = kinds_->of(queue.job(p));
    const auto end = b.groups.begin() + static_cast<std::ptrdiff_t>(b.count);
    const auto same = std::find_if(b.groups.begin(), end, [&](const Group& g) { return g.kind == kind; });
    b.more = kind == VetoKinds::kNone || (same == end && b.count == kMost);
    if (b.more) return;
    if (same == end) {
      b.groups[b.count++] = {kind, queue.nodes(p), queue.duration(p)};
      return;
    }
    same->nodes = std::min(same->nodes, queue.nodes(p));
    same->shortest = std::min(same->shortest, queue.duration(p));
  }

  const VetoKinds* kinds_ = nullptr;
  std::vector<Block> blocks_;
  std::size_t rows_ = 0;             ///< entries that have been looked at
  std::uint64_t order_version_ = 0;  ///< of the queue then
  std::uint64_t version_ = 0;        ///< of the kinds
};

}  // namespace coslice

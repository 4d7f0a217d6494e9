// Which of a fixed number of clocks is due first. A tournament tree of fours: moving one clock costs a walk of log4(n)
// levels without branches that surprise, which beats a heap where each processor has exactly one next event.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace coslice {

class EventTree {
 public:
  static constexpr std::int64_t kIdle = INT64_MAX;

  explicit EventTree(std::int32_t clocks) {
    while (leaves_ < static_cast<std::size_t>(clocks)) first_leaf_ += leaves_, leaves_ *= 4;
    if (leaves_ > kMost) throw std::length_error("more clocks than an event tree can have");
    times_.assign(leaves_, kIdle);
    keys_.resize(first_leaf_ + leaves_);
    rebuild(0);
  }

  /// When the first clock is due; kIdle if none is.
  std::int64_t time() {
    std::uint64_t since = keys_[0] >> kBits;
    if (since == kFar) {
      look_far();
      since = keys_[0] >> kBits;
    }
    return since == kFar ? kIdle : base_ + static_cast<std::int64_t>(since);
  }
  /// That clock; among equals the lowest number. REQUIRES: time() has been asked since the last change.
  std::int32_t first() const { return static_cast<std::int32_t>(keys_[0] & (kMost - 1)); }
  std::int64_t time_of(std::int32_t clock) const { return times_[static_cast<std::size_t>(clock)]; }

  /// The winner is carried up to the root, so that each level reads its other children without waiting for the one
  /// below, and no branch depends on how far a change gets.
  /// REQUIRES: time >= 0.
  void set(std::int32_t clock, std::int64_t time) {
    const auto leaf = static_cast<std::size_t>(clock);
    if (times_[leaf] == time) return;
    times_[leaf] = time;
    if (time < base_) return rebuild(time);
    std::uint64_t winner = key_of(leaf, time);
    std::uint64_t* const keys = keys_.data();
    std::size_t node = first_leaf_ + leaf;
    keys[node] = winner;
    while (node != 0) {
      const std::size_t child = node - 1;  // of its parent, as the root is no child
      const std::uint64_t a = keys[(child ^ 1) + 1], b = keys[(child ^ 2) + 1], c = keys[(child ^ 3) + 1];
      const std::uint64_t ab = a < b ? a : b;
      const std::uint64_t others = ab < c ? ab : c;
      winner = others < winner ? others : winner;
      node = child / 4;
      keys[node] = winner;
    }
  }
  /// The same, if that is earlier than it is.
  void lower(std::int32_t clock, std::int64_t time) {
    if (time < time_of(clock)) set(clock, time);
  }

 private:
  static constexpr unsigned kBits = 24;                                    ///< of a clock's number
  static constexpr std::size_t kMost = std::size_t{1} << kBits;            ///< clocks
  static constexpr std::uint64_t kFar = std::uint64_t{1} << (62 - kBits);  ///< 275 s: so late, or later

  /// Time and number in one word: the last bits are the clock, those before the time since base_, up to kFar.
  std::uint64_t key_of(std::size_t leaf, std::int64_t time) const {
    return std::min(static_cast<std::uint64_t>(time - base_), kFar) << kBits | leaf;
  }

  [[gnu::cold, gnu::noinline]] void rebuild(std::int64_t base) {
    base_ = base;
    for (std::size_t leaf = 0; leaf != leaves_; ++leaf) keys_[first_leaf_ + leaf] = key_of(leaf, times_[leaf]);
    for (std::size_t node = first_leaf_; node-- > 0;) {
      const auto children = keys_.begin() + static_cast<std::ptrdiff_t>(4 * node + 1);
      keys_[node] = *std::min_element(children, children + 4);
    }
  }

  /// All clocks are so late that keys tell them no more apart: tells times from the first of them on.
  [[gnu::cold, gnu::noinline]] void look_far() {
    const std::int64_t earliest = *std::min_element(times_.begin(), times_.end());
    if (earliest != kIdle) rebuild(earliest);
  }

  std::size_t leaves_ = 1, first_leaf_ = 0;
  std::int64_t base_ = 0;            ///< no clock is due before
  std::vector<std::int64_t> times_;  ///< by clock
  std::vector<std::uint64_t> keys_;  ///< 0 is the root, the children of i are from 4 i + 1 on; the first due below it
};

}  // namespace coslice

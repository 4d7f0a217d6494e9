// Which of a fixed number of clocks is due first. A tournament tree: moving one clock costs a walk of log2(n) levels
// without branches that surprise, which beats a heap where each processor has exactly one next event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace coslice {

class EventTree {
 public:
  static constexpr std::int64_t kIdle = INT64_MAX;

  explicit EventTree(std::int32_t clocks) {
    while (leaves_ < static_cast<std::size_t>(clocks)) leaves_ *= 2;
    nodes_.resize(2 * leaves_);
    for (std::size_t i = 0; i != leaves_; ++i) nodes_[leaves_ + i] = {kIdle, static_cast<std::int32_t>(i)};
    for (std::size_t node = leaves_ - 1; node > 0; --node) nodes_[node] = nodes_[2 * node];
  }

  /// When the first clock is due; kIdle if none is.
  std::int64_t time() const { return nodes_[1].time; }
  /// That clock; among equals the lowest number.
  std::int32_t first() const { return nodes_[1].clock; }
  std::int64_t time_of(std::int32_t clock) const { return nodes_[leaves_ + static_cast<std::size_t>(clock)].time; }

  /// The winner is carried up to the root, so that each level reads its other child without waiting for the one below,
  /// and no branch depends on how far a change gets.
  /// REQUIRES: time >= 0.
  void set(std::int32_t clock, std::int64_t time) {
    std::size_t node = leaves_ + static_cast<std::size_t>(clock);
    if (nodes_[node].time == time) return;
    Node winner{time, clock};
    nodes_[node] = winner;
    for (; node != 1; node /= 2) {
      const Node other = nodes_[node ^ 1];
      const bool wins = other.time - static_cast<std::int64_t>(node & 1) < winner.time;  // the left one among equals
      winner.time = wins ? other.time : winner.time;
      winner.clock = wins ? other.clock : winner.clock;
      nodes_[node / 2] = winner;
    }
  }
  /// The same, if that is earlier than it is.
  void lower(std::int32_t clock, std::int64_t time) {
    if (time < time_of(clock)) set(clock, time);
  }

 private:
  struct Node {
    std::int64_t time = kIdle;
    std::int32_t clock = 0;
  };

  std::size_t leaves_ = 1;
  std::vector<Node> nodes_;  ///< 1 is the root, the children of i are 2 i and 2 i + 1; the first due below it
};

}  // namespace coslice

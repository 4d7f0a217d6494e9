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
    keys_.assign(leaves_, kIdle);
    winner_.resize(leaves_);
    for (std::size_t node = leaves_ - 1; node > 0; --node) winner_[node] = winner_of(node);
  }

  /// When the first clock is due; kIdle if none is.
  std::int64_t time() const { return keys_[static_cast<std::size_t>(first())]; }
  /// That clock; among equals the lowest number.
  std::int32_t first() const { return leaves_ == 1 ? 0 : winner_[1]; }
  std::int64_t time_of(std::int32_t clock) const { return keys_[static_cast<std::size_t>(clock)]; }

  void set(std::int32_t clock, std::int64_t time) {
    std::int64_t& key = keys_[static_cast<std::size_t>(clock)];
    if (key == time) return;
    key = time;
    for (std::size_t node = (leaves_ + static_cast<std::size_t>(clock)) / 2; node > 0; node /= 2) {
      const std::int32_t before = winner_[node];
      winner_[node] = winner_of(node);
      if (winner_[node] == before && before != clock) return;
    }
  }

 private:
  std::int32_t child(std::size_t node) const {
    return node < leaves_ ? winner_[node] : static_cast<std::int32_t>(node - leaves_);
  }
  std::int32_t winner_of(std::size_t node) const {
    const std::int32_t left = child(2 * node), right = child(2 * node + 1);
    return keys_[static_cast<std::size_t>(right)] < keys_[static_cast<std::size_t>(left)] ? right : left;
  }

  std::size_t leaves_ = 1;
  std::vector<std::int64_t> keys_;
  std::vector<std::int32_t> winner_;
};

}  // namespace coslice

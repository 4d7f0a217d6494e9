// Upper bounds on how long nodes stay free in a part of the availability profile, by how many nodes: a search for a hole
// passes over parts in which none can be long enough.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <boost/container/static_vector.hpp>

#include "core/time.h"

namespace coslice {

/// For each class of node counts no run of steps with at least as many free nodes, of those that touch the part, is
/// longer than its bound. Classes are single counts up to 32, then eighths of an octave; their bounds never rise.
class RunBounds {
 public:
  /// Nothing is known.
  RunBounds() { std::fill(std::begin(longest_), std::end(longest_), Duration::max()); }

  /// No run with n nodes free is longer.
  Duration longest(std::int32_t n) const { return longest_[class_of(n)]; }
  /// There is a run of that length with n nodes free, n > 0.
  void raise(std::int32_t n, Duration length) {
    for (std::size_t c = class_of(n) + 1; c-- != 0 && longest_[c] < length;) longest_[c] = length;
    if (!exact_.empty()) drop_if([&](const Exact& e) { return e.nodes <= n && e.longest < length; });
  }
  /// All runs with n nodes free are shorter.
  void lower(std::int32_t n, Duration length) {
    const Duration most = length - Duration{1};
    for (std::size_t c = class_of(n - 1) + 1; c < kClasses && longest_[c] > most; ++c) longest_[c] = most;
  }
  /// The same for just so many nodes, where a class is of several counts; the oldest such bounds are forgotten.
  void lower_exactly(std::int32_t n, Duration length) {
    lower(n, length);
    const Exact bound{n, length - Duration{1}};
    drop_if([&](const Exact& e) { return e.nodes >= n && e.longest >= bound.longest; });
    if (exact_.size() == exact_.capacity()) exact_.erase(exact_.begin());
    exact_.push_back(bound);
  }
  /// Whether no run with n nodes free is as long as that, by lower_exactly too.
  bool all_shorter(std::int32_t n, Duration length) const {
    return longest(n) < length || std::any_of(exact_.begin(), exact_.end(), [&](const Exact& e) {
             return e.nodes <= n && e.longest < length;
           });
  }
  /// For the two parts together.
  void join(const RunBounds& o) {
    for (std::size_t c = 0; c != kClasses; ++c) longest_[c] = std::max(longest_[c], o.longest_[c]);
    drop_if([&](const Exact& e) { return !o.all_shorter(e.nodes, e.longest + Duration{1}); });
  }

 private:
  static constexpr std::size_t kClasses = 136;

  /// The last class whose least count is not above n.
  static std::size_t class_of(std::int32_t n) {
    if (n < 32) return static_cast<std::size_t>(std::max(n, 0));
    const auto count = static_cast<std::uint32_t>(n);
    const auto octave = static_cast<std::uint32_t>(std::bit_width(count)) - 1;
    return std::min<std::size_t>(kClasses - 1, 32 + (octave - 5) * 8 + (count >> (octave - 3) & 7));
  }

  struct Exact {
    std::int32_t nodes;
    Duration longest;
  };
  template <class F>
  void drop_if(F&& f) {
    exact_.erase(std::remove_if(exact_.begin(), exact_.end(), f), exact_.end());
  }

  Duration longest_[kClasses];
  boost::container::static_vector<Exact, 4> exact_;  ///< none implies another
};

}  // namespace coslice

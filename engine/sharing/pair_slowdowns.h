// How much two jobs slow each other down, remembered: a search around a primary job goes over the whole queue, at each pass
// again, and what a model says of a pair never changes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "workload/slowdown.h"

namespace coslice {

class PairSlowdowns {
 public:
  /// Of the primary by the other job, and the other way round.
  struct Pair {
    double primary = 1, other = 1;
  };

  const Pair& of(const SlowdownModel& model, JobIndex primary, JobIndex other) {
    Row& row = rows_[primary % kRows];
    if (row.primary != primary) {
      row.primary = primary;
      row.known.assign(row.known.size(), 0);
    }
    const std::size_t word = other / 64;
    if (word >= row.known.size()) {
      row.known.resize(2 * word + 1, 0);
      row.pairs.resize(64 * row.known.size());
    }
    const std::uint64_t bit = std::uint64_t{1} << other % 64;
    Pair& pair = row.pairs[other];
    if ((row.known[word] & bit) == 0) {
      row.known[word] |= bit;
      pair = {model.beside(primary, other), model.beside(other, primary)};
    }
    return pair;
  }

 private:
  static constexpr std::size_t kRows = 32;

  struct Row {
    JobIndex primary = kNoJob;
    std::vector<std::uint64_t> known;  ///< a bit for each other job
    std::vector<Pair> pairs;           ///< by other job
  };

  std::array<Row, kRows> rows_;  ///< the primary jobs of late
};

}  // namespace coslice

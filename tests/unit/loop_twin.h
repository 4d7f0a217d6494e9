// The event loop by brute force: written from the documents, and sharing nothing with the simulation. What is held on
// which node is a list, every instant at which something may change and every node is tried in turn. Slow, and plain
// enough to be read as the definition of what happens when several features meet.
#pragma once

#include <string>
#include <vector>

#include "loop_case.h"

namespace coslice::loop {

using Tick = std::int64_t;  ///< nanoseconds
inline constexpr Tick kSecond = 1'000'000'000;
inline constexpr Tick kNever = INT64_MAX;

enum class State { kLeft, kCompleted, kKilled, kRejected, kLost, kUnfulfilled, kWithdrawn };

struct Interrupted {
  Tick from = 0, to = 0;
  bool operator==(const Interrupted&) const = default;
};

/// What becomes of a job.
struct Fate {
  State state = State::kLeft;
  Tick start = kNever, end = kNever;  ///< of its last run
  std::vector<int> nodes;
  std::vector<std::uint64_t> gpus;  ///< on each of them, where jobs have parts of nodes
  std::vector<Interrupted> interrupted;
  bool operator==(const Fate&) const = default;
};

std::vector<Fate> simulate(const Case& c);

/// A line for each job.
std::string text_of(const std::vector<Fate>& fates);

}  // namespace coslice::loop

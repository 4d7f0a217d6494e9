// How much work was done on this thread: counted and not timed, so that it is the same on all machines. Forecasts bound
// their simulations by it. What grows with the machine or the queue within one question counts itself.
#pragma once

#include <cstdint>

namespace coslice {

struct WorkCount {
  std::uint64_t instructions = 0;  ///< of scripts; not those of trusted ones
  std::uint64_t looks = 0;         ///< of plans, at a node, a running job or a step
};

/// Since the thread began: differences are what means something.
inline thread_local WorkCount work_of_thread;

inline void count_looks(std::uint64_t n) { work_of_thread.looks += n; }
inline void count_instructions(std::uint64_t n) { work_of_thread.instructions += n; }

}  // namespace coslice

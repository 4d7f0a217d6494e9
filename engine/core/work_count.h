// How much work was done on this thread: counted and not timed, so that it is the same on all machines. Forecasts bound
// their simulations by it. What grows with the machine or the queue within one question counts itself.
#pragma once

#include <cstdint>
#include <exception>
#include <limits>

namespace coslice {

struct WorkCount {
  std::uint64_t instructions = 0;  ///< of scripts; not those of trusted ones
  std::uint64_t looks = 0;         ///< of plans, at a node, a running job or a step
};

/// Since the thread began: differences are what means something.
inline thread_local WorkCount work_of_thread;

/// Looks of this thread after which what is asked is given up.
inline thread_local std::uint64_t last_look_of_thread = std::numeric_limits<std::uint64_t>::max();

/// One question took more than LooksAtMost allows. What it was asked of is not to be used any more.
class TooManyLooks : public std::exception {
 public:
  const char* what() const noexcept override { return "more work than was allowed"; }
};

/// As long as it lives, the looks of this thread are limited.
class LooksAtMost {
 public:
  explicit LooksAtMost(std::uint64_t looks) : before_(last_look_of_thread) {
    last_look_of_thread = work_of_thread.looks + looks;
  }
  ~LooksAtMost() { last_look_of_thread = before_; }
  LooksAtMost(const LooksAtMost&) = delete;
  LooksAtMost& operator=(const LooksAtMost&) = delete;

 private:
  const std::uint64_t before_;
};

inline void count_looks(std::uint64_t n) { work_of_thread.looks += n; }
/// Throws TooManyLooks where there were more than are allowed. Called where a question begins, and not while something
/// is put back.
inline void check_looks() {
  if (work_of_thread.looks > last_look_of_thread) throw TooManyLooks{};
}
inline void count_instructions(std::uint64_t n) { work_of_thread.instructions += n; }

}  // namespace coslice

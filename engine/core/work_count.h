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

/// Counts of this thread beyond which what is asked is given up.
inline thread_local WorkCount last_work_of_thread = {std::numeric_limits<std::uint64_t>::max(),
                                                     std::numeric_limits<std::uint64_t>::max()};

/// One question took more than WorkAtMost allows. What it was asked of is not to be used any more.
class TooMuchWork : public std::exception {
 public:
  const char* what() const noexcept override { return "more work than was allowed"; }
};

/// As long as it lives, the work of this thread is limited. States of scripts that are to keep to it begin after it.
class WorkAtMost {
 public:
  explicit WorkAtMost(const WorkCount& most) : before_(last_work_of_thread) {
    last_work_of_thread = {work_of_thread.instructions + most.instructions, work_of_thread.looks + most.looks};
  }
  ~WorkAtMost() { last_work_of_thread = before_; }
  WorkAtMost(const WorkAtMost&) = delete;
  WorkAtMost& operator=(const WorkAtMost&) = delete;

 private:
  const WorkCount before_;
};

inline void count_looks(std::uint64_t n) { work_of_thread.looks += n; }
/// Throws TooMuchWork where there were more than are allowed. Called where a question begins, and not while something
/// is put back.
inline void check_looks() {
  if (work_of_thread.looks > last_work_of_thread.looks) throw TooMuchWork{};
}
inline void count_instructions(std::uint64_t n) { work_of_thread.instructions += n; }

/// Whether scripts are held to a number of instructions beside their own limit, and whether they are beyond it.
inline bool instructions_are_limited() {
  return last_work_of_thread.instructions != std::numeric_limits<std::uint64_t>::max();
}
inline bool too_many_instructions() { return work_of_thread.instructions > last_work_of_thread.instructions; }

}  // namespace coslice

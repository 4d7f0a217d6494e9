// What a simulation takes, in about microseconds of a processor. It is counted and not timed: what is bounded by it is
// the same on all machines.
#pragma once

#include <cstddef>

#include "core/work_count.h"

namespace coslice {

/// What single steps cost, in microseconds: to put a job into a simulation; that one comes, starts or ends; a pass; and
/// each job in the queue of a pass, where that is not among what is counted by itself.
struct WorkCosts {
  double job, event, pass, waiting;
};
/// Measured with the twin of a Slurm machine, also where nobody counts the instructions of scripts.
inline constexpr WorkCosts kCostsOfRun = {10, 5, 5, 0}, kCostsOfTrustedRun = {10, 20, 45, 0.4};

/// Adds up what a simulation takes that this thread makes.
class WorkMeter {
 public:
  /// Begins one of so many jobs.
  WorkMeter(const WorkCosts& costs, std::size_t jobs)
      : costs_(costs), begin_(work_of_thread), steps_(costs.job * static_cast<double>(jobs)) {}
  /// A job has come, started or ended.
  void event() { steps_ += costs_.event; }
  /// A pass over so many waiting jobs.
  void pass(std::size_t waiting) { steps_ += costs_.pass + costs_.waiting * static_cast<double>(waiting); }
  /// Returns how many instructions alone, and how many looks alone, take so much.
  static WorkCount counts_for(double work) {
    return {static_cast<std::uint64_t>(work / kInstruction), static_cast<std::uint64_t>(work / kLook)};
  }
  double sum() const {
    return steps_ + kInstruction * static_cast<double>(work_of_thread.instructions - begin_.instructions) +
           kLook * static_cast<double>(work_of_thread.looks - begin_.looks);
  }

 private:
  static constexpr double kInstruction = 0.05;  ///< of a script, with the tables and texts that it makes
  static constexpr double kLook = 0.002;        ///< of a plan

  const WorkCosts costs_;
  const WorkCount begin_;
  double steps_;
};

}  // namespace coslice

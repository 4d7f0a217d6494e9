// What the workloads of a check reached: a check that never filled the queue says little.
#pragma once

#include <array>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "api/policy/policy.h"
#include "lab/check/case.h"
#include "testing/test_run.h"

namespace coslice::check {

/// Filled from several threads.
class Coverage {
 public:
  /// Adds what happened in a run.
  void add(const TestRun& run);
  /// Returns in words what happened in some run; `kind` says what could have.
  std::vector<std::string> reached(const Kind& kind) const;
  /// Returns what happened in none, and which hooks of the policy were never called.
  std::vector<std::string> missed(const Kind& kind, const PolicyDescription& policy) const;
  /// Returns whether the policy read the time in some run.
  bool read_clock() const { return read_clock_; }
  /// Jobs in all runs.
  std::int64_t jobs() const { return jobs_; }

 private:
  enum Event : std::size_t {
    kWaited,
    kManyWaited,
    kPassed,
    kKilled,
    kOutran,
    kEarly,
    kTooLarge,
    kIdle,
    kPreempted,
    kForeign,
    kEvicted,
    kLoaded,
    kSwapped,
    kShared,
    kDiffering,
    kParts,
    kGpus,
    kMolded,
    kStopped,
    kSuspended,
    kEvents
  };
  struct Word;
  static const Word kWords[];

  void add_jobs(const TestRun& run);
  bool applies(Event e, const Kind& kind) const;

  std::mutex mutex_;
  std::array<bool, kEvents> seen_{};
  std::set<std::string> called_;  ///< labels of what was called
  bool memory_ = false;           ///< some run modelled loading and swapping
  bool read_clock_ = false;
  std::int64_t jobs_ = 0;
};

}  // namespace coslice::check

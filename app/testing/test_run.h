// A run that a suite asked for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runner/runner.h"

namespace coslice {

struct SuiteContext;

/// One policy's run with all that a suite may ask of it.
struct TestRun {
  std::shared_ptr<const Runner> runner;  ///< its workload is what the result refers to
  std::size_t number = 0;                ///< which of the runner's policies
  SuiteContext* suite = nullptr;         ///< that asked for it; outlives the run
  PolicyRun run;
  std::vector<std::string> violations;       ///< of what holds for every policy
  std::vector<std::string> broken_promises;  ///< reservations that moved later or were not kept
  std::vector<std::string> broken_claims;    ///< "NAME: ...": what the policy claims of itself and did not hold
  std::vector<JobIndex> order;               ///< jobs as the suite counts them: as written, else by submission

  const Job& job(std::size_t i) const { return runner->workload().jobs[order[i]]; }
  const Outcome& outcome(std::size_t i) const { return run.result.outcomes[order[i]]; }
  Time entered(std::size_t i) const { return run.result.submitted_at(order[i]); }
  /// Returns what time slices did to the i-th job; null without time slices.
  const SlicedJob* sliced(std::size_t i) const {
    return run.result.sliced.empty() ? nullptr : &run.result.sliced[order[i]];
  }
  std::int32_t nodes(std::size_t i) const;
  /// Returns the nodes that the i-th job had, such as "0-3 7"; "" if it did not run.
  std::string allocated(std::size_t i) const;
};

/// Returns the state in a word: "completed", "killed", "rejected", "lost", "unfulfilled", "withdrawn" or "not run".
const char* state_name(FinalState state);

/// Simulates the i-th policy with everything watched; with `calls`, PolicyRun::seconds_by_call tells what was called.
/// Throws what Runner::run throws.
TestRun run_watched(const std::shared_ptr<const Runner>& runner, std::size_t i, const PrintSink& print,
                    bool calls = false);

}  // namespace coslice

// Looks for a workload on which a policy breaks a rule: the library behind `coslice check`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/check/case.h"
#include "lab/check/judge.h"

namespace coslice::check {

struct CheckOptions {
  std::string policy;  ///< a name, or a file
  Value params = Value::table();
  std::uint64_t seed = 1;
  std::int64_t cases = 2000;
  Sizes sizes;
  bool equal_nodes = false;  ///< no machines with kinds of nodes and partitions
  int workers = 1;
  /// Called now and then with the number of cases that are done, or (shrinking) tried; what it throws ends everything.
  std::function<void(std::size_t done, bool shrinking)> tick;
};

struct Counterexample {
  Finding finding;          ///< on the smallest case
  std::int64_t number = 0;  ///< of the case that was found, from 1
  std::size_t jobs = 0;     ///< that it had
  Case smallest;
  int tries = 0;  ///< cases that shrinking tried
};

struct CheckReport {
  std::string policy;               ///< its name
  std::vector<std::string> claims;  ///< that it makes
  std::int64_t cases = 0;           ///< that were run: all, or up to the counterexample
  std::int64_t jobs = 0;            ///< in them; without a counterexample
  std::optional<Counterexample> counterexample;
  std::vector<std::string> reached;  ///< what happened in some case, in words; without a counterexample
  std::vector<std::string> missed;   ///< what happened in none
};

/// Runs the policy on cases 1, 2, ... of the seed and shrinks the first that shows a mistake. The report does not
/// depend on the number of workers. Throws InputError if the policy cannot be loaded.
CheckReport check(const CheckOptions& options);

/// Returns the counterexample as a suite that fails for as long as the mistake is there. `policy` is how the suite
/// finds it.
std::string regression_test(const CheckReport& report, const CheckOptions& options, const std::string& policy);

}  // namespace coslice::check

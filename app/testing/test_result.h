// What became of the cases of suites.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/error.h"

namespace coslice {

enum class CaseStatus : std::uint8_t {
  kPassed,
  kFailed,
  kSkipped,  ///< it or its block is marked with `skip`, or it called skip()
  kPending,  ///< there is no case yet
  kLeftOut,  ///< other cases are marked with `only`
};

struct CaseResult {
  std::string name;  ///< in full: the names of its blocks and its own
  int line = 0;      ///< where it stands in the suite
  CaseStatus status = CaseStatus::kPassed;
  std::string reason;                ///< why it was not run
  std::string remark;                ///< e.g. "100 runs, seed 1"
  std::vector<Diagnostic> failures;  ///< the first is the case's; hooks that run after it may add more
  std::vector<std::string> notes;    ///< what the failures depend on, e.g. a shrunk workload
  std::vector<std::string> output;   ///< lines that the suite and its policies printed
  double seconds = 0;                ///< wall clock
};

struct SuiteResult {
  std::string file;
  std::string load_error;         ///< it could not be loaded
  std::vector<CaseResult> cases;  ///< those that the filter lets through, in the order of the file
  std::vector<std::string> warnings;
  int filtered_out = 0;
  int goldens_written = 0;
  double seconds = 0;  ///< wall clock
};

/// All suites, in the order of their names.
struct TestReport {
  std::vector<SuiteResult> suites;
  double seconds = 0;  ///< wall clock

  std::int64_t count(CaseStatus status) const;
  std::int64_t unloadable() const;  ///< suites
  /// Returns 0: nothing failed; 1: a case failed; 2: a suite could not be loaded.
  int exit_status() const;
};

}  // namespace coslice

#include "testing/test_result.h"

#include <algorithm>

namespace coslice {

std::int64_t TestReport::count(CaseStatus status) const {
  std::int64_t n = 0;
  for (const SuiteResult& s : suites) {
    n += std::ranges::count(s.cases, status, &CaseResult::status);
  }
  return n;
}

std::int64_t TestReport::unloadable() const {
  return std::ranges::count_if(suites, [](const SuiteResult& s) { return !s.load_error.empty(); });
}

int TestReport::exit_status() const {
  if (unloadable() > 0) return 2;
  return count(CaseStatus::kFailed) > 0 ? 1 : 0;
}

}  // namespace coslice

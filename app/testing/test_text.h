// The report of a test run for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/tables/terminal.h"
#include "testing/test_result.h"

namespace coslice {

class TestText {
 public:
  /// `files`: all suites, for aligned columns.
  TestText(const std::vector<std::string>& files, bool colour, bool verbose);

  /// Returns a line for the suite, then what went wrong in it. "" if the filter left nothing of it.
  std::string suite(const SuiteResult& s) const;
  /// Returns the totals: "12 passed, 1 failed, 0 skipped in 0.31 s".
  std::string totals(const TestReport& report) const;

 private:
  std::string head(const SuiteResult& s) const;
  std::string case_text(const CaseResult& c) const;
  std::string failure(const CaseResult& c) const;
  std::string counts(const std::vector<std::int64_t>& by_status, std::int64_t unloadable, bool all) const;

  std::size_t width_ = 0;
  bool colour_, verbose_;
};

}  // namespace coslice

// Test results for continuous integration.
#pragma once

#include <string>
#include <string_view>

#include "testing/test_result.h"

namespace coslice {

/// Returns the report as JUnit XML: a testsuite per file, a testcase per case; pending cases and those that were left
/// out count as skipped, a suite that could not be loaded is an error.
std::string junit_xml(const TestReport& report);

/// Returns the text for XML 1.0: `<`, `>`, `&` and quotes as entities; control characters and what is no UTF-8 become
/// U+FFFD.
std::string xml_text(std::string_view text);

}  // namespace coslice

// Runs regression suites: the library behind `coslice test`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/limits.h"
#include "testing/test_result.h"

namespace coslice {

/// Returns the report as JUnit XML: a testsuite per file, a testcase per case; pending cases and those that were left
/// out count as skipped, a suite that could not be loaded is an error.
std::string junit_xml(const TestReport& report);

/// Returns the text for XML 1.0: `<`, `>`, `&` and quotes as entities; control characters and what is no UTF-8 become
/// U+FFFD.
std::string xml_text(std::string_view text);

/// Returns the suites that the paths name, sorted, each once: files as they are, of folders all *_test.lua below them.
/// Without paths: all *_test.lua below the current folder, except in folders that begin with a dot or are called
/// "build". Throws InputError for a path that does not exist and for folders without a suite.
std::vector<std::string> find_suites(const std::vector<std::string>& paths);

struct TestOptions {
  std::vector<std::string> paths;  ///< files and folders; none: the current folder (find_suites)
  std::string filter;              ///< only cases whose full names hold this text; `*` stands for any text in between
  int jobs = 1;                    ///< threads; each runs whole files
  bool update = false;             ///< write golden snapshots instead of comparing
  std::string junit;               ///< file for the results as JUnit XML; "": none
  std::optional<std::uint64_t> seed;  ///< for all properties, instead of their own
  std::int64_t times = 1;             ///< each property holds on so many times as many workloads
  bool colour = false;
  bool verbose = false;  ///< name each case, and show what those that passed printed
  Limits limits;         ///< of each suite; the instructions of each case
};

/// Returns whether the full name of a case passes the filter. Upper and lower case are the same.
bool matches_filter(std::string_view name, std::string_view filter);

/// Runs all suites. `out` gets the report for people piece by piece, files in the order of their names whatever the
/// number of threads. Throws InputError where there is nothing to run: a path without suites, a filter that no case
/// passes; or the JUnit file cannot be written.
TestReport run_suites(const TestOptions& options, const std::function<void(std::string_view)>& out);

}  // namespace coslice

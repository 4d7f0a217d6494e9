// Runs suites that a test writes down, and cuts what differs from run to run (folders, times) out of reports.
#pragma once

#include <regex>
#include <string>

#include "scratch_folder.h"
#include "testing/suite_runner.h"

namespace coslice::test {

struct SuiteRun {
  TestReport report;
  std::string text;

  const CaseResult& only_case() const { return report.suites.at(0).cases.at(0); }
};

inline std::string without_times(std::string text, const std::string& folder) {
  for (std::size_t at = 0; !folder.empty() && (at = text.find(folder, at)) != std::string::npos;)
    text.erase(at, folder.size());
  text = std::regex_replace(text, std::regex("  \\d+\\.\\d+ m?s\n"), "\n");
  text = std::regex_replace(text, std::regex(" in \\d+\\.\\d+ s\n"), "\n");
  return std::regex_replace(text, std::regex("time=\"[0-9.]+\""), "time=\"T\"");
}

/// Runs what is in the folder, or the paths of the options.
inline SuiteRun run_in(const ScratchFolder& folder, TestOptions options = {}) {
  SuiteRun run;
  if (options.paths.empty()) options.paths = {folder / ""};
  run.report = run_suites(options, [&](std::string_view s) { run.text += s; });
  run.text = without_times(run.text, folder / "");
  return run;
}

/// Runs one suite of that text.
inline SuiteRun run_text(const std::string& lua, const TestOptions& options = {}) {
  const ScratchFolder folder;
  folder.write("s_test.lua", lua);
  return run_in(folder, options);
}

/// What is reported of a suite with one case of that body, which begins in line 2.
inline std::string failure_of(const std::string& body) {
  const SuiteRun run = run_text("it('fails', function()\n" + body + "\nend)\n");
  std::string out;
  for (const Diagnostic& d : run.only_case().failures) out += d.message() + "\n";
  const std::string folder = std::filesystem::path(run.report.suites[0].file).parent_path().string() + "/";
  return without_times(out, folder);
}

}  // namespace coslice::test

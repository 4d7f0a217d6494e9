// Golden snapshots: what a run was, as a readable text in a folder `golden` beside the suite.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "testing/context.h"
#include "testing/test_run.h"

namespace coslice {

/// Returns the lines that were taken away, `-`, and those that came, `+`: as few as there can be. Lines that differ
/// only in how wide a table's columns are count as equal, unless nothing else differs. At most a dozen of each are
/// shown.
std::string line_difference(const std::vector<std::string>& before, const std::vector<std::string>& now);

/// Returns the run as text: the figures of the summary, then a line per job. Same bytes on each machine.
std::string snapshot_of(const TestRun& run);

/// Returns the file of a snapshot: golden/SUITE.NAME.txt, SUITE without its "_test.lua".
std::string golden_path(const SuiteContext& suite, const std::string& name);

/// Compares the text with the snapshot of that name, or writes it if the suite is run for updating. What is wrong, or
/// nothing. Throws InputError for a name that is no file name, and if the file cannot be read or written.
std::optional<std::string> check_golden(SuiteContext& suite, const std::string& name, const std::string& text);

}  // namespace coslice

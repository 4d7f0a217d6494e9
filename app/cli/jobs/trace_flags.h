// Flags of commands that read traces: --missing-limit, and what --skip-bad has left out.
#pragma once

#include <string>

#include "cli/frame/command.h"
#include "core/value.h"
#include "formats/recorded.h"
#include "formats/trace_file.h"

namespace coslice::cli {

// --missing-limit of `coslice convert`, in the words of a scenario.

/// Sets workload.missing_limit in the tree: "run-time"; "2x"; a time ("3d", "86400", "1-00:00:00"); or times by
/// partition ("gpu=1d,others=3d"), by the names that the site has for them, or by number. Throws InputError.
void set_missing_limit(Value& tree, const std::string& text, const RecordedWorkload& recorded);

// Lines that --skip-bad has left out, as they are told on standard error.

/// The flag --skip-bad of commands that read the trace of a scenario.
Option skip_bad_flag(bool& value);
/// Sets workload.skip_bad where the flag is given. Throws InputError if the scenario has no trace.
void set_skip_bad(Value& tree, bool given);

/// A warning with their number, and the first few. Nothing where there are none.
void report_skipped(const SkippedLines& skipped);

}  // namespace coslice::cli

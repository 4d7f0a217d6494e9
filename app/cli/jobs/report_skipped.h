// Lines that --skip-bad has left out, as they are told on standard error.
#pragma once

#include "formats/trace_file.h"

namespace coslice::cli {

/// A warning with their number, and the first few. Nothing where there are none.
void report_skipped(const SkippedLines& skipped);

}  // namespace coslice::cli

// schedule.swf: the trace as it was simulated, in the Standard Workload Format.
#pragma once

#include <string>

#include "observers/result.h"

namespace coslice {

/// Writes the trace's header, `note` as a comment, and each job with its entry into the queue (field 2), its wait
/// (field 3), the time from start to end (field 4) and a status (field 11): 1 completed, 0 killed at its limit,
/// 5 rejected or withdrawn, -1 not ended when the run stopped. Packed if the path ends in ".gz". Throws as SwfWriter does.
void write_schedule_swf(const std::string& path, const RunResult& result, const std::string& note);

}  // namespace coslice

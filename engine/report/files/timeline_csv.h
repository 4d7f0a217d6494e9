// timeline.csv: queue length, used nodes and used cores over time.
#pragma once

#include "observers/result.h"
#include "report/files/output.h"

namespace coslice {

/// Columns `time,queue_length,used_nodes,used_cores`; a row holds from its time (seconds) until the next row's.
void write_timeline_csv(const RunResult& result, const Sink& sink);

}  // namespace coslice

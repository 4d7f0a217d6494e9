// A run for trace viewers (ui.perfetto.dev, chrome://tracing): the Trace Event Format, JSON.
#pragma once

#include "report/files/output.h"
#include "report/gantt/gantt_chart.h"

namespace coslice {

/// Writes {"traceEvents": [...]}: a track for each node, on which jobs follow one another ("X" events; where jobs share
/// a node, a track for each part of it, so that events of one track never overlap), and counters of waiting jobs and
/// used nodes. Instants are microseconds, exact to the nanosecond. A job is an event on each of its nodes: the file
/// grows with nodes x pieces.
void write_trace_events(const GanttChart& chart, const Sink& sink);

}  // namespace coslice

// A Gantt as a page: one file that needs nothing else, from a disk as from a server.
#pragma once

#include <string>

#include "report/files/output.h"
#include "report/gantt/gantt_chart.h"
#include "report/markup.h"

namespace coslice {

/// Writes the page. Its scripts and styles are named by their digests in its content security policy, which allows
/// nothing else. Times are rounded to a millisecond unless all are whole seconds.
void write_gantt_html(const GanttChart& chart, const Sink& sink);

/// Digests of the page's style and script, for a page that has it in a frame.
PageHashes gantt_hashes();

/// The chart's numbers as the page holds them, before they are packed: the columns of `directory` one after the other
/// as variable-length integers.
struct GanttColumns {
  std::string directory;  ///< JSON: [{"name": "job.id", "count": 5, "delta": true}, ...]
  std::string bytes;
  std::int64_t tick = 1;  ///< nanoseconds, unit of all times
};
GanttColumns gantt_columns(const GanttChart& chart);

}  // namespace coslice

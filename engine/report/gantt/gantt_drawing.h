#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "observe/picture_recorder.h"
#include "observe/result.h"
#include "output/output.h"
#include "report/gantt/gantt_chart.h"
#include "report/markup.h"

namespace coslice {

// A Gantt of a small run as a drawing, what it takes its colours from, and its overview where jobs are many.

/// Rectangles of the largest run that is drawn.
inline constexpr std::size_t kMostSvgRectangles = 5000;

/// Writes an SVG: nodes over time with slices and their switches, the waiting queue below, a legend, a title for each
/// job that browsers show under the pointer. It follows the reader's light or dark theme. Throws InputError if the
/// chart has more than kMostSvgRectangles rectangles.
void write_gantt_svg(const GanttChart& chart, const Sink& sink);

/// Draws several runs below one another. All have one window, see share_window, and together at most
/// kMostSvgRectangles.
void write_gantts_svg(const std::vector<GanttChart>& charts, const std::string& title, const Sink& sink);

/// Draws a run of any size, for paper: more rectangles than kMostSvgRectangles become cells that have the colour of
/// what takes most of them.
void write_gantt_print(const GanttChart& chart, const Sink& sink);

/// Cells of a row that look alike, from column `from` to before `to`.
struct OverviewRun {
  int row = 0, from = 0, to = 0;
  std::uint8_t colour = 0;
  bool pale = false;  ///< less than half of it is taken
};

/// Many jobs in a picture of few cells: each cell has the colour of what takes most of it.
struct GanttOverview {
  int rows = 0, columns = 0;  ///< into which the nodes and the time are divided
  std::vector<OverviewRun> runs;
};

/// Returns the overview of a chart in `columns` columns and at most `most_rows` rows. `colour_of`: by the place of a
/// job in the chart.
GanttOverview gantt_overview(const GanttChart& chart, int columns, int most_rows,
                             const std::vector<std::uint8_t>& colour_of);

/// Returns for each job of the chart, by its index there, those that had a part of one of its nodes while it had
/// another, rising. For charts of a few thousand rectangles.
std::vector<std::vector<JobIndex>> gantt_partners(const GanttChart& chart);

/// Returns a colour for each job of the chart, less than `colours`: not that of a partner, and if there are enough not
/// that of a job beside it, before it or after it.
std::vector<std::uint8_t> gantt_job_colours(const GanttChart& chart, std::size_t colours);

// A Gantt as a page: one file that needs nothing else, from a disk as from a server.

/// Writes the page. Its scripts and styles are named by their digests in its content security policy, which allows
/// nothing else. Times are rounded to a millisecond unless all are whole seconds.
void write_gantt_html(const GanttChart& chart, const Sink& sink);

/// Returns digests of the page's style and script, for a page that has it in a frame.
PageHashes gantt_hashes();

/// The chart's numbers as the page holds them, before they are packed: the columns of `directory` one after the other
/// as variable-length integers.
struct GanttColumns {
  std::string directory;  ///< JSON: [{"name": "job.id", "count": 5, "delta": true}, ...]
  std::string bytes;
  std::int64_t tick = 1;  ///< nanoseconds, unit of all times
};
GanttColumns gantt_columns(const GanttChart& chart);

// A drawing of what processors do over time: computing, polling, blocked, switching.

struct ProcessorSvgOptions {
  std::string title;
  std::int32_t per_node = 1;  ///< processors of a node: a line divides nodes
};

/// The columns that a picture should have for this drawing.
inline constexpr std::int32_t kProcessorSvgColumns = 1768;

/// Draws what processors did. Precondition: the result has `processes`.
void write_processor_svg(const ProcessorPicture& picture, const RunResult& result, const ProcessorSvgOptions& options,
                         const Sink& sink);

// A run for trace viewers (ui.perfetto.dev, chrome://tracing): the Trace Event Format, JSON.

/// Writes {"traceEvents": [...]}: a track for each node, on which jobs follow one another ("X" events; where jobs share
/// a node, a track for each part of it, so that events of one track never overlap), and counters of waiting jobs and
/// used nodes. Instants are microseconds, exact to the nanosecond. A job is an event on each of its nodes: the file
/// grows with nodes x pieces.
void write_trace_events(const GanttChart& chart, const Sink& sink);

}  // namespace coslice

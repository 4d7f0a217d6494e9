// A Gantt of a small run as a drawing.
#pragma once

#include "report/files/output.h"
#include "report/gantt/gantt_chart.h"

namespace coslice {

/// Rectangles of the largest run that is drawn.
inline constexpr std::size_t kMostSvgRectangles = 5000;

/// Writes an SVG: nodes over time with slices and their switches, the waiting queue below, a legend, a title for each
/// job that browsers show under the pointer. It follows the reader's light or dark theme. Throws InputError if the
/// chart has more than kMostSvgRectangles rectangles.
void write_gantt_svg(const GanttChart& chart, const Sink& sink);

/// The same of several runs below one another. All have one window, see share_window, and together at most
/// kMostSvgRectangles.
void write_gantts_svg(const std::vector<GanttChart>& charts, const std::string& title, const Sink& sink);

/// A drawing of a run of any size, for paper: more rectangles than kMostSvgRectangles become cells that have the colour of
/// what takes most of them.
void write_gantt_print(const GanttChart& chart, const Sink& sink);

}  // namespace coslice

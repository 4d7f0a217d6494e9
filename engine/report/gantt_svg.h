// A Gantt of a small run as a drawing.
#pragma once

#include "report/gantt_chart.h"
#include "report/output.h"

namespace coslice {

/// Rectangles of the largest run that is drawn.
inline constexpr std::size_t kMostSvgRectangles = 5000;

/// Writes an SVG: nodes over time with slices and their switches, the waiting queue below, a legend, a title for each
/// job that browsers show under the pointer. It follows the reader's light or dark theme. Throws InputError if the
/// chart has more than kMostSvgRectangles rectangles.
void write_gantt_svg(const GanttChart& chart, const Sink& sink);

}  // namespace coslice

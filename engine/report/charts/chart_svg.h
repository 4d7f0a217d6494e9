// A chart as a drawing for a paper: light, without serifs, told apart by marks as well as by colours.
#pragma once

#include "report/charts/chart.h"
#include "report/files/output.h"

namespace coslice {

struct ChartSvgOptions {
  int width = 640, height = 400;  ///< of the drawing, with title, legend and note
  bool title = true;              ///< a paper has a caption instead
  bool dark = false;              ///< follows the reader's theme; else it is light, as for print
};

/// Writes a whole SVG file, which needs no style sheet and no font of its own. Texts of the chart may be anything: what
/// XML or a terminal would take for commands is replaced.
void write_chart_svg(const Chart& chart, const ChartSvgOptions& options, const Sink& sink);

}  // namespace coslice

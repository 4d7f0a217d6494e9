// A chart as a drawing for a paper: light, without serifs, distinguished by marks as well as by colours.
#pragma once

#include <string>
#include <vector>

#include "output/output.h"
#include "report/charts/axis_ticks.h"
#include "report/charts/chart.h"

namespace coslice {

/// A labelled value along an axis.
struct ChartTick {
  double at = 0;     ///< from 0 to 1
  double value = 0;  ///< what stands there; of names, their place
  std::string text;
};

/// Where values lie along an axis of a chart, and which of them are labelled.
class ChartScale {
 public:
  /// Ends that are equal are moved apart, those of a logarithmic scale made positive.
  ChartScale(const ChartAxis& axis, double low, double high);

  double low() const { return low_; }
  double high() const { return high_; }
  /// Returns where the value is: 0 at the low end, 1 at the high one; values beyond an end are there.
  double place(double value) const;
  /// Returns at most about that many ticks at round values, evenly spread unless the scale is logarithmic; all where
  /// the axis says which. Each label is the whole value, all are in one unit.
  std::vector<ChartTick> ticks(int most) const;

 private:
  std::vector<ChartTick> named() const;
  std::vector<ChartTick> given() const;
  std::vector<ChartTick> powers(int most) const;
  std::vector<ChartTick> placed(const std::vector<AxisValue>& values) const;

  const ChartAxis& axis_;
  double low_, high_;
};

/// Returns the scale of an axis for the data of a chart; `upright`: the y axis.
ChartScale scale_of(const Chart& chart, bool upright);

struct ChartSvgOptions {
  int width = 640, height = 400;  ///< of the drawing, with title, legend and note
  bool title = true;              ///< a paper has a caption instead
  bool dark = false;              ///< follows the reader's theme; else it is light, as for print
};

/// Writes a whole SVG file, which needs no style sheet and no font of its own. Texts of the chart may be anything: what
/// XML or a terminal would take for commands is replaced.
void write_chart_svg(const Chart& chart, const ChartSvgOptions& options, const Sink& sink);

}  // namespace coslice

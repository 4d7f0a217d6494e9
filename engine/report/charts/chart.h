// A chart as data, independent of how it is drawn: report/charts/chart_svg.h draws one for a paper, the scripts of a
// page (report/web/report/drawing.js) do from JSON.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace coslice {

/// What the numbers along an axis are, which decides how they are labelled.
enum class ChartUnit : std::uint8_t {
  kNumber,  ///< 0.5, 2,000
  kShare,   ///< parts of one, labelled in per cent
  kTime,    ///< seconds, labelled in s, min, h, d
};

struct ChartAxis {
  std::string label;
  ChartUnit unit = ChartUnit::kNumber;
  bool log = false;                  ///< values at or below the low end are drawn there
  std::vector<std::string> names{};  ///< of places 0, 1, 2, ...; none: numbers
  std::vector<double> ticks{};       ///< where it is labelled, rising, if there are few values; none: at round values
  /// The ends of the axis; else those of the data, and 0 for heights that are not logarithmic.
  std::optional<double> low{}, high{};
};

struct ChartPoint {
  double x = 0, y = 0;  ///< y NaN: nothing is known here, a line is broken
  /// The ends of an interval about y, drawn as an error bar; NaN: none.
  double low = std::numeric_limits<double>::quiet_NaN(), high = std::numeric_limits<double>::quiet_NaN();
};

enum class ChartLook : std::uint8_t {
  kLine,   ///< points joined
  kSteps,  ///< each value holds until the next point
  kArea,   ///< steps, filled down to the axis
  kBars,   ///< side by side with other bars at the same place; the x axis has names
  kMarks,  ///< points alone, e.g. published figures beside obtained ones
};

struct ChartSeries {
  std::string name;
  ChartLook look = ChartLook::kLine;
  std::vector<ChartPoint> points;  ///< by x
  int colour = -1;                 ///< a place in the palette; -1: the place of the series in its chart
  bool faint = false;              ///< behind the others, e.g. the highest values where a line shows the means
};

struct Chart {
  std::string name;   ///< as a file would be called: "queue"
  std::string title;  ///< one line
  std::string note;   ///< what must be known to read it: "means over 10 seeds, 95 % intervals"; "" for nothing
  ChartAxis x, y;
  std::vector<ChartSeries> series;
};

/// Returns a list of charts, numbers with six digits; what is not known is null.
std::string charts_json(const std::vector<Chart>& charts);

}  // namespace coslice

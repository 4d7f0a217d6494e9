// Many jobs in a picture of few cells: each cell has the colour of what takes most of it.
#pragma once

#include <cstdint>
#include <vector>

#include "report/gantt/gantt_chart.h"

namespace coslice {

/// Cells of a row that look alike, from column `from` to before `to`.
struct OverviewRun {
  int row = 0, from = 0, to = 0;
  std::uint8_t colour = 0;
  bool pale = false;  ///< less than half of it is taken
};

struct GanttOverview {
  int rows = 0, columns = 0;  ///< that the nodes and the time are divided into
  std::vector<OverviewRun> runs;
};

/// `colour_of`: by the place of a job in the chart.
GanttOverview gantt_overview(const GanttChart& chart, int columns, int most_rows,
                             const std::vector<std::uint8_t>& colour_of);

}  // namespace coslice

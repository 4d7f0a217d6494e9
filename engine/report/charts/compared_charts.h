// Charts of several runs beside one another.
#pragma once

#include <string>
#include <vector>

#include "report/charts/chart.h"
#include "report/tables/summary_table.h"

namespace coslice {

/// The charts that one run has, under its name.
struct NamedCharts {
  std::string name;
  std::vector<Chart> charts;
};

/// One chart of each kind, with a line for each run: of distributions that of all jobs; over a common time.
std::vector<Chart> compared_charts(const std::vector<NamedCharts>& runs);

/// Mean wait and mean bounded slowdown by class, a bar for each run.
std::vector<Chart> class_charts(const std::vector<NamedSummary>& runs);

}  // namespace coslice

// A chart as JSON, for the scripts of a page (report/web/report/drawing.js).
#pragma once

#include <string>
#include <vector>

#include "report/charts/chart.h"

namespace coslice {

/// A list of charts, numbers with six digits; what is not known is null.
std::string charts_json(const std::vector<Chart>& charts);

}  // namespace coslice

// Which jobs share nodes with one another in a Gantt, and colours that tell them apart.
#pragma once

#include <cstdint>
#include <vector>

#include "report/gantt/gantt_chart.h"

namespace coslice {

/// For each job of the chart, by its place there: those that had a part of one of its nodes while it had another, rising.
/// For charts of a few thousand rectangles.
std::vector<std::vector<JobIndex>> gantt_partners(const GanttChart& chart);

/// A colour for each job of the chart, less than `colours`: not that of a partner, and if there are enough not that of a
/// job beside it, before it or after it.
std::vector<std::uint8_t> gantt_job_colours(const GanttChart& chart, std::size_t colours);

}  // namespace coslice

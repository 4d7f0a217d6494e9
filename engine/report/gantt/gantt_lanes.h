// Jobs that share nodes, side by side.
#pragma once

#include "report/gantt/gantt_chart.h"

namespace coslice {

/// Where bars overlap on a node, splits them and gives each a lane of the node while they do: k jobs on a node are k
/// lanes, and a job that stays keeps its lane if that is still there. Of a node with GPUs, lanes are its GPUs. Bars stay sorted by their beginning.
void split_into_lanes(GanttChart& chart);

}  // namespace coslice

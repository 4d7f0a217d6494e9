// Which GPUs of a node jobs have, as lanes of the node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/gantt/gantt_chart.h"

namespace coslice {

struct LanedBar {
  std::size_t bar = 0;  ///< into GanttChart::bars
  std::uint8_t lane = 0, lanes = 1;
};

/// The lanes of a node with GPUs, whose bars are given by their beginning: one for each GPU, and one below them for jobs that
/// have none, if there are such jobs. Jobs that share a GPU have parts of its lane, likewise those without. A job that
/// has the node for itself has one bar, the others one for each of their GPUs. Empty: the node has no GPUs, or too many jobs
/// to be told apart.
std::vector<LanedBar> gpu_lanes(const GanttChart& chart, NodeId node, const std::vector<std::size_t>& bars);

}  // namespace coslice

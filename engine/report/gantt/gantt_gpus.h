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
  std::uint8_t tall = 1;  ///< lanes that it covers, from `lane` on
};

struct GpuLanes {
  std::vector<LanedBar> bars;
  std::uint8_t rows = 0;  ///< of equal height: the GPUs, and one for jobs without, if there are such
};

/// The lanes of a node with GPUs, whose bars are given by their beginning: one for each GPU, and one below them for jobs that
/// have none, if there are such jobs. A job with a share of a GPU has as much of the height of its lane, those without
/// GPUs have equal parts of theirs. A job that has the node for itself has one bar, the others one for each of their GPUs. No rows: the node has no GPUs, or too many jobs
/// to be told apart.
GpuLanes gpu_lanes(const GanttChart& chart, NodeId node, const std::vector<std::size_t>& bars);

}  // namespace coslice

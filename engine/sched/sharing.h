// Shared nodes: several processes of a job on a node, and two jobs on one under semi time sharing. (Zeng 2009,
// Chapter 4: processes of one job go to different processors first, those of different jobs to cores of the same one.)
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/work.h"
#include "sched/sharing_counts.h"
#include "sched/view.h"
#include "workload/slowdown.h"

namespace coslice {

struct SharingOptions {
  const SlowdownModel* slowdowns = nullptr;  ///< outlives the run
  /// Processes per node of a job that has its nodes for itself, and of one that shares them. From 1 to the cores of a
  /// node; asked once, at submission.
  std::function<std::int32_t(const View&, JobIndex)> alone, shared;
};

/// Jobs that share nodes: a primary one, and others each on nodes of its own among the primary's. Where these do not
/// suffice, they reach beyond.
struct Group {
  std::uint32_t id = 0;
  StartedJob* primary = nullptr;
  struct Matched {
    StartedJob* job;
    std::int32_t overlap;  ///< nodes that it shares with the primary
  };
  std::vector<Matched> matched;  ///< those that have not ended
  std::int32_t nodes = 0;        ///< of all members when it was formed
  double useful = 0;             ///< work that the members have done together: processes x dedicated seconds
  Duration productive{0};        ///< time in which they did it
};

}  // namespace coslice

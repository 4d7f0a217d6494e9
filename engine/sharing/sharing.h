// Shared nodes: several processes of a job on a node, and two jobs on one under semi time sharing. (Zeng 2009,
// Chapter 4: processes of one job go to different processors first, those of different jobs to cores of the same one.)
// How much they slow each other down: workload/slowdown.h.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/work.h"
#include "sched/view.h"
#include "sharing/sharing_counts.h"
#include "workload/slowdown.h"

namespace coslice {

/// The cores of a node, as a layout sees them.
struct NodeShape {
  std::int32_t processors = 1;
  std::int32_t cores = 1;  ///< on all its processors together
  Layout layout = Layout::kAcross;
  std::int64_t memory_kb = 0;  ///< 0: not modelled

  /// This number of processes of a job is slowed down as over processors (kAcross), or as over cores (kWithin); further ones
  /// by both.
  std::int32_t first() const { return layout == Layout::kAcross ? processors : cores / processors; }
  /// Whether two jobs with these numbers of processes find room on a node.
  bool room_for(std::int32_t a, std::int32_t b) const {
    if (layout == Layout::kAcross) return a + b <= cores;
    const std::int32_t width = cores / processors;
    return (a + width - 1) / width + (b + width - 1) / width <= processors;
  }
};

struct SharingOptions {
  const SlowdownModel* slowdowns = nullptr;  ///< outlives the run; as the layout has them (ExchangedSlowdowns)
  Layout layout = Layout::kAcross;
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
  bool apart = false;            ///< its only matched job has stopped until the primary has ended
};

}  // namespace coslice

// Which jobs are allocated to which node, running or preempted. Allocation is not occupation: a preempted job keeps its
// nodes, and jobs of several classes share them over time.
#pragma once

#include <vector>

#include "cluster/node_set.h"
#include "core/time.h"
#include "sched/occupancy.h"

namespace coslice {

class NodeLedger {
 public:
  NodeLedger(std::int32_t nodes, std::size_t classes);

  /// `need` is the memory that the job needs on each node, as transfer time.
  void add(StartedJob& job, std::size_t job_class, Duration need);
  void remove(StartedJob& job, std::size_t job_class, Duration need);

  /// Nodes to which no job of the class is allocated.
  const NodeSet& without(std::size_t job_class) const { return without_[job_class]; }
  /// Jobs of other classes than that of the view that are allocated to the node.
  std::int32_t foreign(NodeId node, const View& view) const;
  /// Memory that all jobs allocated to the node need together.
  Duration needed(NodeId node) const { return needed_[static_cast<std::size_t>(node)]; }
  /// All jobs allocated to the node, in order of allocation.
  const Occupancy::Jobs& jobs(NodeId node) const { return allocated_.jobs(node); }

 private:
  std::vector<NodeSet> without_;  ///< by class
  std::vector<Duration> needed_;
  Occupancy allocated_;
};

}  // namespace coslice

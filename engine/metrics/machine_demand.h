// What the jobs of a workload ask of a machine whose nodes differ, beside what it has: nothing is simulated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/machine.h"
#include "workload/workload.h"

namespace coslice {

/// Offered load: what jobs would hold of each resource for as long as they run, in parts of what some nodes have of it from
/// the first to the last submission. Nodes twice as fast have twice as much. 0 where they have nothing of it, or there
/// is no such time. A job that has its nodes for itself holds all cores and all memory of such nodes as it may have, on an
/// average, and the GPUs that it asks for.
struct ResourceLoad {
  double cores = 0, memory = 0, gpus = 0;
};

/// The jobs that may run on nodes of just these kinds.
struct KindsDemand {
  std::vector<std::int32_t> kinds;  ///< into MachineLayout::kinds, ascending
  std::int64_t jobs = 0;
  ResourceLoad load;  ///< of nodes of these kinds
};

/// The jobs that wait in a partition: the first one of theirs in which they can run.
struct PartitionDemand {
  std::int64_t jobs = 0;
  ResourceLoad load;  ///< of its nodes
};

/// Jobs that can never run for reasons that differ in their numbers only.
struct NeverRuns {
  std::string reason;  ///< of the first of them
  std::int64_t jobs = 0;
  std::int64_t first = 0;  ///< its id
};

/// How many jobs ask for something; one may be in several.
struct RequestCounts {
  std::int64_t whole_nodes = 0;  ///< no other job on their nodes
  std::int64_t several_nodes = 0;
  std::int64_t memory = 0;
  std::int64_t gpus = 0;  ///< those with parts of GPUs among them
  std::int64_t gpu_parts = 0;
  std::int64_t gpu_types = 0;
  std::int64_t features = 0;
  std::int64_t licences = 0;
};

struct MachineDemand {
  std::int64_t jobs = 0;                      ///< that can run
  ResourceLoad load;                          ///< of all nodes
  RequestCounts requests;                     ///< of those that can run
  std::vector<KindsDemand> by_kinds;          ///< most jobs first
  std::vector<PartitionDemand> by_partition;  ///< as MachineLayout::partitions
  std::vector<NeverRuns> never;               ///< most jobs first
};

/// Precondition: the machine has a layout, and each job a request (workload/trace_requests.h).
MachineDemand describe_demand(const MachineSpec& machine, const Workload& workload);

}  // namespace coslice

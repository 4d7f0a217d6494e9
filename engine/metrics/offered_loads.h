// What the jobs of a workload ask of each resource of the machine: which one is scarce.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jobs/workload.h"
#include "machine/machine.h"
#include "metrics/machine_summary.h"

namespace coslice {

/// Offered load of one resource: what jobs ask for times their run times, over what the machine has of it from the
/// first to the last submission.
struct OfferedLoad {
  /// "cores", "memory", "GPUs", "GPUs of type a100", "licences of NAME", "cores of partition debug", "GPUs of kind big"
  std::string resource;
  double load = 0;  ///< 0 where all jobs are submitted at once
};

/// The jobs that have no other nodes than these, some of the machine's.
struct PartDemand {
  std::string nodes;  ///< "partition debug", "kind big", "kinds a and b", "n1 and 3 more nodes"
  std::int64_t jobs = 0;
  ResourceLoad load;  ///< of these nodes, by the jobs whose nodes are all among them
};
/// Returns each set of nodes that is all that some jobs can have, most jobs first; nothing where there are very many.
/// Precondition: as of describe_demand().
std::vector<PartDemand> demand_of_parts(const MachineSpec& machine, const Workload& workload);

/// Returns the load of each resource that the machine has, the scarcest one first. On machines with kinds of nodes, a
/// job that has its nodes for itself asks for all cores and all memory of them, and nodes twice as fast count twice; of
/// a type of GPUs, the jobs count that can have no others. Where nodes that are all that some jobs can have (those of a
/// partition, or with a feature) have more to do than all nodes together, they are first, and the scarcest of their
/// resources. On equal nodes it is that of their cores.
std::vector<OfferedLoad> offered_loads(const MachineSpec& machine, const Workload& workload);

/// Presses the arrivals together, or pulls them apart, so that the load of the scarcest resource of the whole
/// machine is the wanted one. Throws InputError if all jobs come at once.
void set_scarcest_load(Workload& workload, const MachineSpec& machine, double load);

}  // namespace coslice

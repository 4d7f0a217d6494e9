// What the jobs of a workload ask of each resource of the machine: which one is scarce.
#pragma once

#include <string>
#include <vector>

#include "jobs/workload.h"
#include "machine/machine.h"

namespace coslice {

/// Offered load of one resource: what jobs ask for times their run times, over what the machine has of it from the
/// first to the last submission.
struct OfferedLoad {
  std::string resource;  ///< "cores", "memory", "GPUs", "GPUs of type a100", "licences of NAME"
  double load = 0;       ///< 0 where all jobs are submitted at once
};

/// Returns the load of each resource that the machine has, the scarcest one first. On machines with kinds of nodes, a
/// job that has its nodes for itself asks for all cores and all memory of them, and nodes twice as fast count twice; of
/// a type of GPUs, the jobs count that can have no others. On equal nodes it is that of their cores.
std::vector<OfferedLoad> offered_loads(const MachineSpec& machine, const Workload& workload);

/// Presses the arrivals together, or pulls them apart, so that the load of the scarcest resource is the wanted one.
/// Throws InputError if all jobs come at once.
void set_scarcest_load(Workload& workload, const MachineSpec& machine, double load);

}  // namespace coslice

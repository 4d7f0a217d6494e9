// How a machine whose nodes differ was used: by kind of nodes, and its cores, memory and GPUs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "observers/result.h"

namespace coslice {

/// What jobs held of one kind of nodes, in parts of what it has over the makespan. A job that has a node for itself holds
/// all of the node's cores and memory, and the GPUs that it asked for; a preempted job holds nothing, a
/// suspended one its memory. Runs that were interrupted count as well. 0 where the kind has nothing of it.
struct KindUse {
  std::string name;
  std::int64_t nodes = 0;
  std::int64_t jobs = 0;  ///< that had a part of one of its nodes
  double cores = 0;
  double memory = 0;
  double gpus = 0;
};

struct ResourceSummary {
  double memory = 0;  ///< of the kinds that have memory
  double gpus = 0;
  double gpus_with_jobs = 0;  ///< GPUs on which at least one job is, however little of them it holds
  std::vector<KindUse> by_kind;  ///< in the order of the machine
};

/// Precondition: the machine has a layout. `from` to `to` is the makespan, longer than 0.
ResourceSummary summarize_resources(const RunResult& result, Time from, Time to);

}  // namespace coslice

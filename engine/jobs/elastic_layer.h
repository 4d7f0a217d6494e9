// Elasticity laid over a workload whose jobs are rigid: a share of them may change their nodes while they run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "jobs/workload.h"

namespace coslice {

/// Which jobs become elastic, and how fast they get on with how many nodes.
struct ElasticLayer {
  std::optional<double> share;  ///< of the jobs; absent: none
  double smallest = 0.5;        ///< fewest nodes, in parts of those of the job, at least 1
  double largest = 2;           ///< most nodes, likewise; at most those of the machine
  double efficiency = 0.8;      ///< speedup over nodes at its own number of nodes, by Amdahl's law; of one node: on two
  std::string changes = "any";  ///< where they may change and at what cost, as the attribute `elastic`
};

/// Returns the parallel part by Amdahl's law of a program that has that efficiency on n nodes: 0 where none has so
/// little.
double parallel_part(double efficiency, std::int32_t nodes);

/// Makes a share of the jobs elastic. Which ones depends on the seed and on their places in the workload, so that the
/// elastic jobs of a smaller share are among those of a larger one. Jobs that have sizes of their own keep them, and so
/// do jobs of several components. `ppn`: processes on a node of jobs without a request.
void lay_elasticity(Workload& workload, const ElasticLayer& layer, std::int32_t nodes, std::int32_t ppn,
                    std::uint64_t seed);

}  // namespace coslice

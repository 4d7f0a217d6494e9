// How elastic jobs change their numbers of nodes while they run: where they may, what it costs, and what they ask for
// themselves. Which numbers, and how fast they get on with each, say their sizes (job_sizes.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/time.h"
#include "jobs/job.h"

namespace coslice {

/// How a job may change its number of nodes while it runs. A change can come into force at points of its work only.
struct Elasticity {
  /// A point at which the program asks for a number of nodes (an evolving job).
  struct Wish {
    double part = 0;  ///< of its work that is done by then
    std::int32_t nodes = 1;
  };

  std::int32_t steps = 0;     ///< equal steps of its work, with a point between two of them; 0: no such points
  Duration every{0};          ///< a point whenever so much is done, in run time with its own size; 0: no such points
  std::vector<double> parts;  ///< points by the part of its work that is done, ascending; those of wishes included
  std::vector<Wish> wishes;   ///< in order of their parts
  Duration cost{0};           ///< for which the job stands still at each change
  Duration cost_of_node{0};   ///< and this for each node that comes or goes
  bool survives = false;      ///< the job goes on with fewer nodes where one of them fails
  bool any_time() const { return steps == 0 && every == Duration{0} && parts.empty(); }

  /// How long all that a job has to do takes with its own size, and with the one with which it started.
  struct RunTime {
    Duration own{}, started{};
  };
  /// Returns how many points the job has. Precondition: not any_time().
  std::int64_t points(const RunTime& job) const;
  /// Returns what of its work is done at its i-th point, counted from 0.
  Work at(std::int64_t i, const RunTime& job) const;
  /// Returns for how long the job stands still when it has got or given so many nodes.
  Duration standstill(std::int32_t nodes) const { return cost + cost_of_node * nodes; }
};

/// Returns whether the job may change its number of nodes while it runs.
bool is_elastic(const Job& job);

/// Returns how the job changes its number of nodes, by its text `elastic`: "any", "steps 20", "every 600" (s of its run
/// time with its own size) or "at 0.25,0.5", and then "cost 30" or "cost 30+0.5" (s, and s for each node that moves),
/// "asks 0.5:8,0.75:2" (the nodes it asks for at these parts of its work) and "survives". Throws InputError without a
/// place for a text that says none. Precondition: is_elastic(job).
Elasticity elasticity_of(const Job& job);
/// Returns what such a text says.
Elasticity elasticity_of_text(const std::string& text);

}  // namespace coslice

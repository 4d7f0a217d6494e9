// Nodes that are powered down while no job is on them, and take time to come up again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cluster/node_set.h"
#include "core/time.h"
#include "workload/job.h"

namespace coslice {

/// What a node draws, W.
struct NodeWatts {
  double busy = 0;     ///< a job has it
  double idle = 0;     ///< it is on, and no job has it
  double booting = 0;  ///< it comes up
  double off = 0;      ///< it is powered down, or goes down
};

struct PowerOptions {
  Duration idle{0};      ///< a node that was free for longer is powered down
  Duration boot{0};      ///< from the start of a job on it until the node is up
  Duration shutdown{0};  ///< for so long after it is powered down it cannot begin to come up
  NodeRanges stays_on;   ///< never powered down
  std::optional<NodeWatts> watts;

  /// The longest that a job waits for nodes that it has.
  Duration longest_boot() const { return boot + shutdown; }
};

/// A time in which a node was powered down.
struct NodeOff {
  NodeId node = 0;
  Time from{}, to = kNever;  ///< to: it came up for a job, or failed; kNever: still powered down when the run ended
  Time up = kNever;          ///< when it was up; when it failed, if that was before
};

/// A start of a job on nodes that were not all up.
struct JobBoot {
  JobIndex job = kNoJob;
  Time from{};
  Duration wait{0};        ///< until all of them were up, or it stopped
  std::int32_t nodes = 0;  ///< that it has
  std::int32_t off = 0;    ///< of them, those that were powered down
};

/// Of a run in which nodes are powered down.
struct PowerRecord {
  PowerOptions options;
  std::vector<NodeOff> off;    ///< in the order of their ends; those of a node in the order of their beginnings
  std::vector<JobBoot> boots;  ///< in the order of their beginnings
  double busy = 0;             ///< node-seconds in which nodes were up and a job had them
};

}  // namespace coslice

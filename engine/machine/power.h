// Nodes that are powered down while no job is on them, and take time to come up again; what nodes draw and cost.
#pragma once

#include <optional>
#include <vector>

#include "core/time.h"
#include "machine/node_set.h"

namespace coslice {

/// What a node draws, W.
struct NodeWatts {
  double busy = 0;     ///< a job has it
  double idle = 0;     ///< the node is on, and no job has it
  double booting = 0;  ///< the node comes up
  double off = 0;      ///< the node is powered down, or goes down
  double gpu = 0;      ///< beside `busy`: each of its GPUs that a job has
};

/// What a node draws and costs.
struct NodeCosts {
  std::optional<NodeWatts> watts;
  double price = 0;  ///< of an hour in which it is there and not powered down
};

struct MachineCosts {
  std::vector<NodeCosts> kinds;  ///< of each kind of nodes; one where all are equal. Watts of all are known, or of none
  double kwh_price = 0;
};

struct PowerOptions {
  Duration idle{0};           ///< a node that was free for longer is powered down
  Duration boot{0};           ///< from the start of a job on it until the node is up
  Duration shutdown{0};       ///< for so long after it is powered down it cannot begin to come up
  NodeRanges stays_on;        ///< never powered down
  NodeRanges off_at_first{};  ///< powered down when the run begins, but for those that stay on

  /// Returns the longest that a job waits for nodes that it has.
  Duration longest_boot() const { return boot + shutdown; }
};

/// A time in which a node was powered down.
struct NodeOff {
  NodeId node = 0;
  Time from{}, to = kNever;  ///< to: it came up for a job, or failed; kNever: still powered down when the run ended
  Time up = kNever;          ///< when it was up; when it failed, if that was before
};

}  // namespace coslice

// What is left on each node at each instant from now on, as far as it is known: what running jobs hold until their
// expected ends, and reservations. For jobs that share nodes, where counts do not say whether a job fits.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/node_set.h"
#include "core/time.h"
#include "resources/node_pool.h"

namespace coslice {

/// A plain value: a what-if is a copy. Intervals are half open.
class NodeTimelines {
 public:
  /// All nodes empty from `start` on. The layout outlives it.
  NodeTimelines(const MachineLayout& layout, Time start);

  /// What lies before `now` is not asked for any more.
  void advance(Time now) { now_ = now; }
  void take(const Request& r, const Parts& parts, Time from, Time to) { change(r, parts, from, to, 1); }
  /// Precondition: they were taken throughout.
  void give(const Request& r, const Parts& parts, Time from, Time to) { change(r, parts, from, to, -1); }
  /// Whether exactly these parts are left throughout [from, to).
  bool can_take(const Request& r, const Parts& parts, Time from, Time to) const;
  /// What is left on the node throughout [from, to).
  NodeRoom room(NodeId n, Time from, Time to) const;
  /// Whether licences are left throughout [from, to).
  bool has_licences(const Request& r, Time from, Time to) const;
  /// Those of `nodes` on which the request fits throughout [from, to); none without licences.
  NodeSet fitting(const Request& r, const NodeSet& nodes, Time from, Time to) const;
  /// The first t >= after at which it fits on request.nodes of `nodes` throughout [t, t + d). Precondition: it fits on
  /// so many of them when they are empty.
  Time earliest(const Request& r, const NodeSet& nodes, Duration d, Time after) const;

 private:
  struct Step {
    Time from;
    NodeRoom room;  ///< until the next step, or for ever
  };
  struct LicenceStep {
    Time from;
    std::vector<std::int64_t> left;
  };
  using Line = std::vector<Step>;

  void change(const Request& r, const Parts& parts, Time from, Time to, std::int32_t sign);
  void change_licences(const Request& r, Time from, Time to, std::int32_t sign);
  Time earliest_on(const Request& r, NodeId n, Duration d, Time after) const;
  Time earliest_licences(const Request& r, Duration d, Time after) const;

  Time now_;
  std::vector<Line> lines_;
  std::vector<LicenceStep> licences_;
};

}  // namespace coslice

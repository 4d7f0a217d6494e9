// What nodes did in a time, kind by kind.
#pragma once

#include <vector>

#include "observers/result.h"

namespace coslice {

/// Node-seconds of a kind of nodes.
struct NodeTimes {
  double there = 0;    ///< not away; the others are parts of it
  double off = 0;      ///< powered down
  double booting = 0;  ///< coming up
  double busy = 0;     ///< up, with a job; where neither costs nor powering down are known: 0

  double on() const { return there - off; }
  double idle() const;
};

/// Of each kind, or of the machine where its nodes are equal. `from` to `to` is the makespan.
std::vector<NodeTimes> node_times(const RunResult& result, Time from, Time to);

}  // namespace coslice

// Times in which nodes are not there: failures, drained nodes, planned maintenance. Where they come from is a list, or
// they are drawn.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cluster/node_set.h"
#include "core/time.h"
#include "outages/lifetime.h"

namespace coslice {

enum class OutageKind : std::uint8_t {
  kFailure,      ///< without warning: jobs on the nodes are interrupted
  kDrain,        ///< jobs on the nodes run to their ends, no other one starts there
  kMaintenance,  ///< known in advance: no job is started there that would not have ended before
};
/// As scenarios and tables write them, by number.
inline constexpr const char* kOutageNames[] = {"failure", "drain", "maintenance"};

struct Outage {
  Time from, to;  ///< from < to
  NodeRanges nodes;
  OutageKind kind = OutageKind::kFailure;
};

/// Failures that are drawn, node by node.
struct FailureModel {
  NodeRanges nodes;
  Lifetime between;  ///< from the end of a repair, or the beginning, to the next failure
  Lifetime repair;
  std::int32_t rack = 1;   ///< consecutive nodes of these that may fail together
  double rack_share = 0;   ///< of the failures: those that take the whole rack
};

struct OutagePlan {
  std::vector<Outage> listed;
  std::vector<FailureModel> drawn;
  std::uint64_t seed = 1;

  bool has(OutageKind kind) const {
    return std::any_of(listed.begin(), listed.end(), [kind](const Outage& o) { return o.kind == kind; });
  }
};

}  // namespace coslice

// Random outages of nodes.
#pragma once

#include <utility>
#include <vector>

#include "machine/node_set.h"
#include "machine/outage.h"
#include "resource_cases.h"

namespace coslice::cases {

/// Draws a failure, or a drain one time in three.
inline OutageKind failure_or_drain(Dice& dice) { return dice.one_in(3) ? OutageKind::kDrain : OutageKind::kFailure; }

/// Draws any kind of outage.
inline OutageKind any_outage(Dice& dice) { return static_cast<OutageKind>(dice.from(0, 2)); }

/// Draws an outage of these nodes: from the second `latest` on at the latest, for `longest` seconds at most.
inline Outage random_outage(Dice& dice, NodeRanges nodes, int latest, int longest, OutageKind (*kind)(Dice&)) {
  const int from = dice.from(0, latest), to = from + dice.from(1, longest);
  return {Time{whole_seconds(from)}, Time{whole_seconds(to)}, std::move(nodes), kind(dice)};
}

/// Draws so many outages, of a node each.
inline std::vector<Outage> outages_of_nodes(Dice& dice, std::int32_t nodes, int count, int latest, int longest,
                                            OutageKind (*kind)(Dice&)) {
  std::vector<Outage> all;
  for (int i = 0; i < count; ++i)
    all.push_back(random_outage(dice, as_ranges({dice.from(0, nodes - 1)}), latest, longest, kind));
  return all;
}

/// Draws one to five outages, each of one node in three.
inline std::vector<Outage> random_outages(Dice& dice, std::int32_t nodes, int latest, int longest,
                                          OutageKind (*kind)(Dice&)) {
  std::vector<Outage> all;
  const std::int32_t count = dice.from(1, 5);
  for (std::int32_t i = 0; i < count; ++i) {
    std::vector<NodeId> struck;
    for (NodeId n = 0; n < nodes; ++n)
      if (dice.one_in(3)) struck.push_back(n);
    if (struck.empty()) struck.push_back(dice.from(0, nodes - 1));
    all.push_back(random_outage(dice, as_ranges(struck), latest, longest, kind));
  }
  return all;
}

}  // namespace coslice::cases

// Random reservations of nodes, and jobs that name some of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "jobs/attributes.h"
#include "jobs/node_reservation.h"
#include "machine/node_set.h"
#include "resource_cases.h"

namespace coslice::cases {

inline NodeReservations random_reservations(Dice& dice, std::int32_t nodes, bool last_nodes) {
  NodeReservations all;
  const std::int32_t count = dice.from(1, 3);
  for (std::int32_t i = 0; i < count; ++i) {
    NodeReservation r;
    r.name = std::string(1, static_cast<char>('r' + i));
    std::vector<NodeId> on;
    const NodeId first = dice.from(0, nodes - 1);
    for (NodeId n = 0; n < nodes; ++n)
      if (last_nodes ? n >= first : n == first || dice.one_in(2)) on.push_back(n);
    r.nodes = as_ranges(on);
    int t = dice.from(0, 25);
    for (int w = dice.from(1, 3); w-- > 0; t += dice.from(1, 12)) {
      const int length = dice.from(1, 12);
      r.windows.push_back({at_seconds(t), at_seconds(t + length)});
      t += length;
    }
    if (dice.one_in(5)) {
      r.windows.clear();
      r.floating = whole_seconds(dice.from(0, 8));
    } else if (dice.one_in(3)) {
      r.announced = at_seconds(dice.from(0, 30));
    }
    if (dice.one_in(3)) r.backfill = whole_seconds(dice.from(1, 4));
    if (dice.one_in(2)) r.users = {dice.from(1, 3)};
    if (dice.one_in(4)) r.jobs = {dice.from(1, 5)};
    all.push_back(r);
  }
  return all;
}

inline void name_some(Dice& dice, Workload& w, const NodeReservations& all) {
  for (Job& job : w.jobs) {
    job.user = dice.from(1, 3);
    if (dice.one_in(5))
      w.extras.set(job, *find_attribute("reservation"),
                   all[static_cast<std::size_t>(dice.from(0, static_cast<std::int32_t>(all.size()) - 1))].name);
  }
}

}  // namespace coslice::cases

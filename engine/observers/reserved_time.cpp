#include "observers/reserved_time.h"

#include <algorithm>

#include "cluster/node_ids.h"

namespace coslice {

void ReservedTime::preempted(Time t, JobIndex j) {
  if (since_[j] < t) paused_.push_back({j, since_[j], t});
  since_[j] = kNever;
}

void ReservedTime::resumed(Time t, JobIndex j, const NodeRanges& nodes) {
  leave(t, j, nodes);
  since_[j] = t;
}

/// What it did so far was on these nodes.
void ReservedTime::leave(Time t, JobIndex j, const NodeRanges& nodes) {
  const auto add = [&](Time from, Time to) {
    if (from < to && is_reserved(nodes, from, to)) pieces_.push_back({j, nodes, from, to});
  };
  for (const Paused& p : paused_)
    if (p.job == j) add(p.from, p.to);
  std::erase_if(paused_, [j](const Paused& p) { return p.job == j; });
  if (since_[j] != kNever) add(since_[j], t);
  since_[j] = kNever;
}

bool ReservedTime::is_reserved(const NodeRanges& nodes, Time from, Time to) const {
  return std::any_of(reservations_.begin(), reservations_.end(), [&](const NodeReservation& r) {
    const auto w = std::upper_bound(r.windows.begin(), r.windows.end(), from,
                                    [](Time t, const TimeWindow& x) { return t < x.to; });
    return w != r.windows.end() && w->from < to && common_nodes(nodes, r.nodes) != 0;
  });
}

}  // namespace coslice

#include "metrics/node_times.h"

#include <algorithm>

#include "resources/layout.h"

namespace coslice {

namespace {

double overlap_of(Time from, Time to, Time first, Time last) {
  return std::max(0.0, to_seconds(std::min(to, last) - std::max(from, first)));
}

}  // namespace

double NodeTimes::idle() const { return std::max(0.0, there - off - booting - busy); }

std::vector<NodeTimes> node_times(const RunResult& result, Time from, Time to) {
  const auto layout = kinds_of(result.machine);
  std::vector<NodeTimes> kinds(layout->kinds.size());
  const auto of = [&](NodeId n) -> NodeTimes& { return kinds[static_cast<std::size_t>(layout->kind_index(n))]; };
  for (std::size_t k = 0; k != kinds.size(); ++k) {
    kinds[k].there = to_seconds(to - from) * layout->kinds[k].count;
    if (!result.power && !result.busy.empty()) kinds[k].busy = result.busy[k];
  }
  if (result.outages)
    for (const NodeDown& down : result.outages->down) of(down.node).there -= overlap_of(down.from, down.to, from, to);
  if (!result.power) return kinds;
  for (const NodeOff& o : result.power->off) {
    of(o.node).off += overlap_of(o.from, o.to, from, to);
    if (o.to != kNever) of(o.node).booting += overlap_of(o.to, o.up, from, to);
  }
  for (std::size_t n = 0; n != result.power->busy.size(); ++n) of(static_cast<NodeId>(n)).busy += result.power->busy[n];
  return kinds;
}

}  // namespace coslice

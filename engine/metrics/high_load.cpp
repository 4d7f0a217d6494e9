#include "metrics/high_load.h"

#include <algorithm>

namespace coslice {

namespace {

// A span of 1e18 ns times half a million nodes does not fit 64 bits.
__extension__ using Wide = __int128;

struct Sums {
  Wide time = 0, nodes = 0, cores = 0;  // ns

  void add(const TimelinePoint& p, Wide ns) {
    time += ns;
    nodes += ns * p.used_nodes;
    cores += ns * p.used_cores;
  }
  Fullness of(const MachineSpec& machine) const {
    if (time == 0) return {};
    const auto span = static_cast<double>(time);
    return {span / 1e9, static_cast<double>(nodes) / (span * machine.nodes),
            static_cast<double>(cores) / (span * static_cast<double>(machine.total_cores()))};
  }
};

}  // namespace

HighLoad high_load(const RunResult& result, Time from, Time to, std::int64_t waiting) {
  HighLoad out;
  Sums in, outside;
  bool was_high = false;
  each_span(result.timeline, from, to, [&](std::size_t i, Duration span) {
    const TimelinePoint& p = result.timeline[i];
    const bool high = p.queue >= waiting;
    out.phases += high && !was_high;
    was_high = high;
    (high ? in : outside).add(p, span.count());
  });
  out.in = in.of(result.machine);
  out.outside = outside.of(result.machine);
  return out;
}

}  // namespace coslice

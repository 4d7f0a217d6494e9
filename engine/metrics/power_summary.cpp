#include "metrics/power_summary.h"

#include <algorithm>

namespace coslice {

namespace {

constexpr double kWattSecondsInKwh = 3.6e6;

double overlap_of(Time from, Time to, Time first, Time last) {
  return std::max(0.0, to_seconds(std::min(to, last) - std::max(from, first)));
}

/// Node-seconds.
struct NodeTimes {
  double there = 0, off = 0, booting = 0, busy = 0;
};

NodeTimes node_times(const RunResult& result, Time from, Time to) {
  NodeTimes t;
  t.there = to_seconds(to - from) * result.machine.nodes;
  if (result.outages) t.there -= down_node_seconds(*result.outages, from, to);
  for (const NodeOff& o : result.power->off) {
    t.off += overlap_of(o.from, o.to, from, to);
    if (o.to != kNever) t.booting += overlap_of(o.to, o.up, from, to);
  }
  t.busy = result.power->busy;
  return t;
}

}  // namespace

PowerSummary summarize_power(const RunResult& result, Time from, Time to) {
  const PowerRecord& record = *result.power;
  PowerSummary s;
  double waited = 0;
  for (const JobBoot& boot : record.boots) {
    const double seconds = to_seconds(boot.wait);
    s.boots += boot.off;
    s.delayed += boot.wait > Duration{0};
    waited += seconds;
    s.lost += seconds * boot.nodes;
  }
  const auto ran = std::count_if(result.outcomes.begin(), result.outcomes.end(),
                                 [](const Outcome& o) { return o.start != kNever; });
  if (ran > 0) s.boot_wait = waited / static_cast<double>(ran);
  const NodeTimes t = node_times(result, from, to);
  if (t.there > 0) s.off_share = t.off / t.there;
  if (const std::optional<NodeWatts>& w = record.options.watts) {
    const double idle = std::max(0.0, t.there - t.off - t.booting - t.busy);
    s.energy =
        (t.busy * w->busy + idle * w->idle + t.booting * w->booting + t.off * w->off) / kWattSecondsInKwh;
    s.energy_always_on = (t.busy * w->busy + (t.there - t.busy) * w->idle) / kWattSecondsInKwh;
  }
  return s;
}

}  // namespace coslice

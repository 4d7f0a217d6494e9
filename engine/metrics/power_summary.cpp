#include "metrics/power_summary.h"

#include <algorithm>

#include "metrics/node_times.h"

namespace coslice {

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
  double there = 0, off = 0;
  for (const NodeTimes& t : node_times(result, from, to)) {
    there += t.there;
    off += t.off;
  }
  if (there > 0) s.off_share = off / there;
  return s;
}

}  // namespace coslice

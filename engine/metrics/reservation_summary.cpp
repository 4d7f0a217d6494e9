#include "metrics/reservation_summary.h"

#include <algorithm>
#include <vector>

#include "cluster/node_ids.h"

namespace coslice {

namespace {

/// Node-seconds of a window, by who had them.
class WindowUse {
 public:
  WindowUse(const NodeReservation& reservation, TimeWindow window)
      : r_(reservation), window_(window), reserved(to_seconds(window.to - window.from) * reservation.nodes.count()) {}

  void add(const Job& job, const NodeRanges& nodes, Time start, Time end) {
    const Time from = std::max(start, window_.from), to = std::min(end, window_.to);
    if (to <= from) return;
    const std::int32_t common = common_nodes(nodes, r_.nodes);
    if (common == 0) return;
    const double node_seconds = to_seconds(to - from) * common;
    (r_.entitles(job) ? used : job.limit <= r_.backfill ? backfilled : withheld) += node_seconds;
  }

 private:
  const NodeReservation& r_;
  TimeWindow window_;

 public:
  double reserved, used = 0, backfilled = 0, withheld = 0;
};

}  // namespace

ReservationSummary summarize_reservations(const RunResult& result, Time from, Time to) {
  std::vector<WindowUse> windows;
  for (const NodeReservation& r : result.reservations)
    for (const TimeWindow& w : r.windows) {
      const TimeWindow seen{std::max({w.from, r.announced, from}), std::min(w.to, to)};
      if (seen.from < seen.to) windows.emplace_back(r, seen);
    }
  const auto add = [&](JobIndex j, ArchivedNodes where, Time start, Time end) {
    const NodeRanges nodes = result.archive.get(where);
    for (WindowUse& w : windows) w.add(result.workload->jobs[j], nodes, start, end);
  };
  for (JobIndex j = 0; j != result.outcomes.size(); ++j) {
    const Outcome& o = result.outcomes[j];
    if (o.start != kNever && o.end != kNever && o.nodes.count != 0 && o.state != FinalState::kLost &&
        o.state != FinalState::kCancelled)
      add(j, o.nodes, o.start, o.end);
  }
  for (const InterruptedRun& run : result.interrupted) add(run.job, run.nodes, run.from, run.to);
  ReservationSummary s;
  for (const WindowUse& w : windows) {
    ++s.windows;
    s.late += w.withheld > 0 ? 1 : 0;
    s.reserved += w.reserved;
    s.used += w.used;
    s.backfilled += w.backfilled;
    s.withheld += w.withheld;
  }
  return s;
}

}  // namespace coslice

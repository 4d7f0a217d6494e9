#include "metrics/reservation_summary.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "cluster/node_ids.h"
#include "metrics/late_reservations.h"

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
  const NodeReservation& reservation() const { return r_; }
  Time from() const { return window_.from; }
  double reserved, used = 0, backfilled = 0, withheld = 0;
};

/// The windows that began in [from, to), with who had them.
std::vector<WindowUse> windows_of(const RunResult& result, Time from, Time to) {
  std::vector<WindowUse> windows;
  for (const NodeReservation& r : result.reservations)
    for (const TimeWindow& w : r.windows) {
      const TimeWindow seen{std::max({w.from, r.announced, from}), std::min(w.to, to)};
      if (seen.from < seen.to) windows.emplace_back(r, seen);
    }
  if (result.in_reservations) {
    for (const ReservedPiece& p : *result.in_reservations)
      for (WindowUse& w : windows) w.add(result.workload->jobs[p.job], p.nodes, p.from, p.to);
    return windows;
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
  return windows;
}

}  // namespace

ReservationSummary summarize_reservations(const RunResult& result, Time from, Time to) {
  ReservationSummary s;
  for (const WindowUse& w : windows_of(result, from, to)) {
    ++s.windows;
    s.late += w.withheld > 0 ? 1 : 0;
    s.reserved += w.reserved;
    s.used += w.used;
    s.backfilled += w.backfilled;
    s.withheld += w.withheld;
  }
  return s;
}

std::vector<LateReservation> late_reservations(const RunResult& result) {
  std::vector<LateReservation> late;
  if (result.reservations.empty() || result.timeline.empty()) return late;
  const NodeReservation* of = nullptr;
  for (const WindowUse& w : windows_of(result, result.timeline.front().time, result.timeline.back().time)) {
    if (of != &w.reservation()) late.push_back({w.reservation().name, 0, 0, {}, 0, 0});
    of = &w.reservation();
    LateReservation& l = late.back();
    ++l.windows;
    if (w.withheld <= 0) continue;
    if (l.late++ == 0) l.first = w.from();
    l.reserved += w.reserved;
    l.withheld += w.withheld;
  }
  std::erase_if(late, [](const LateReservation& l) { return l.late == 0; });
  return late;
}

std::vector<std::string> late_reservation_warnings(const RunResult& result) {
  std::vector<std::string> lines;
  for (const LateReservation& l : late_reservations(result)) {
    const std::string times = l.windows == 1 ? "" : fmt::format(" {} of {} times, first", l.late, l.windows);
    lines.push_back(fmt::format("reservation '{}' did not have all its nodes{} at {} s: jobs of others that ran there had "
                                "{:.1f} % of the time",
                                l.name, times, format_seconds(l.first.time_since_epoch()), 100 * l.withheld / l.reserved));
  }
  return lines;
}

}  // namespace coslice

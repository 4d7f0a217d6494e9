#include "metrics/event_summary.h"

#include <algorithm>

#include <fmt/format.h>

#include "machine/layout.h"
#include "machine/node_set.h"

namespace coslice {
namespace {

/// Of the job's last run.
double last_run(const RunResult& result, JobIndex j, double seconds) { return seconds * result.mean_nodes(j); }

double used_by(const RunResult& result, const InterruptedRun& run) {
  return to_seconds(run.to - run.from - run.preempted) * result.mean_nodes(run.job, run.from, run.to, run.nodes);
}

/// Node-seconds for which jobs had their nodes, in runs that were interrupted too.
double used_node_seconds(const RunResult& result) {
  double used = 0;
  for (const InterruptedRun& run : result.interrupted) used += used_by(result, run);
  for (const SuspendedSpan& span : result.suspended)
    if (span.to != kNever) used -= to_seconds(span.to - span.from) * span.nodes;
  for (JobIndex j = 0; j != result.outcomes.size(); ++j)
    if (result.outcomes[j].ran_to_end()) used += last_run(result, j, to_seconds(result.last_run_time(j)));
  return used;
}

/// Of the runs that `by` ended. Checkpoints are those of all jobs.
LostWork lost_work(const RunResult& result, InterruptedBy by) {
  LostWork s;
  for (const InterruptedRun& run : result.interrupted)
    if (run.by == by) s.lost += to_seconds(run.lost) * run.node_count;
  for (JobIndex j = 0; j != result.checkpointing.size(); ++j)
    if (result.outcomes[j].ran_to_end()) s.checkpointing += last_run(result, j, to_seconds(result.checkpointing[j]));
  const double used = used_node_seconds(result);
  if (used > 0) s.waste = (s.lost + s.checkpointing) / used;
  return s;
}

/// Node-seconds of a window, by who had them.
struct WindowUse {
  const NodeReservation& of;
  TimeWindow window;
  double reserved = to_seconds(window.to - window.from) * of.nodes.count();
  double used = 0, backfilled = 0, withheld = 0;

  void add(const Job& job, const NodeRanges& nodes, Time start, Time end) {
    const Time from = std::max(start, window.from), to = std::min(end, window.to);
    if (to <= from) return;
    const double node_seconds = to_seconds(to - from) * common_nodes(nodes, of.nodes);
    (of.entitles(job) ? used : job.limit <= of.backfill ? backfilled : withheld) += node_seconds;
  }
};

/// The windows that began in [from, to), with who had them.
std::vector<WindowUse> windows_of(const RunResult& result, Time from, Time to) {
  std::vector<WindowUse> windows;
  for (const NodeReservation& r : result.reservations)
    for (const TimeWindow& w : r.windows) {
      const TimeWindow seen{std::max({w.from, r.announced, from}), std::min(w.to, to)};
      if (seen.from < seen.to) windows.push_back({r, seen});
    }
  if (result.in_reservations) {
    for (const ReservedPiece& p : *result.in_reservations)
      for (WindowUse& w : windows) w.add(result.workload->jobs[p.job], p.nodes, p.from, p.to);
    return windows;
  }
  const auto add = [&](JobIndex j, ArchivedNodes last, Time start, Time end) {
    result.each_size(j, start, end, last, [&](const SizeSpan& s) {
      const NodeRanges nodes = result.archive.get(s.nodes);
      for (WindowUse& w : windows) w.add(result.workload->jobs[j], nodes, s.from, s.to);
    });
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

std::optional<PreemptionSummary> summarize_preemptions(const RunResult& result) {
  PreemptionSummary s;
  s.suspended = static_cast<std::int64_t>(result.suspended.size());
  for (const SuspendedSpan& span : result.suspended)
    if (span.to != kNever) s.suspended_time += to_seconds(span.to - span.from);
  for (const InterruptedRun& run : result.interrupted) {
    if (run.by != InterruptedBy::kPolicy) continue;
    ++s.stopped;
    ++(run.requeued ? s.requeued : s.cancelled);
  }
  if (s.stopped == 0 && s.suspended == 0) return std::nullopt;
  static_cast<LostWork&>(s) = lost_work(result, InterruptedBy::kPolicy);
  return s;
}

std::optional<ElasticSummary> summarize_resizes(const RunResult& result) {
  if (result.resized.empty()) return std::nullopt;
  ElasticSummary s;
  double used = 0, alone = 0;
  const auto completed = [&](JobIndex j) {
    return result.outcomes[j].state == FinalState::kCompleted && result.resized.count(j) != 0;
  };
  for (const auto& [j, resized] : result.resized) {
    ++s.jobs;
    s.grown += resized.grown;
    s.shrunk += resized.shrunk;
    for (const SizeSpan& span : resized.spans) s.standstill += to_seconds(span.standstill) * span.count;
    if (!completed(j)) continue;
    used += last_run(result, j, to_seconds(result.last_run_time(j)));
    const Work all(result.workload->jobs[j].runtime);
    alone += resized.nodes_at_start * to_seconds(all.time_at(resized.rate_at_start));
  }
  for (const InterruptedRun& run : result.interrupted)
    if (completed(run.job)) used += used_by(result, run);
  for (const SuspendedSpan& span : result.suspended)
    if (span.to != kNever && completed(span.job)) used -= to_seconds(span.to - span.from) * span.nodes;
  s.efficiency = used > 0 ? alone / used : 0;
  return s;
}

double down_node_seconds(const OutageRecord& record, Time from, Time to) {
  double sum = 0;
  for (const NodeDown& down : record.down) sum += seconds_within(from, to, down.from, down.to);
  return sum;
}

double down_core_seconds(const OutageRecord& record, const MachineSpec& machine, Time from, Time to) {
  const auto kinds = kinds_of(machine);
  double sum = 0;
  for (const NodeDown& down : record.down)
    sum += seconds_within(from, to, down.from, down.to) *
           static_cast<double>(kinds->kind_of(down.node).core_share() / kWholeCore);
  return sum;
}

OutageSummary summarize_outages(const RunResult& result, Time from, Time to) {
  const OutageRecord& record = *result.outages;
  OutageSummary s{lost_work(result, InterruptedBy::kFailure)};
  s.failures = record.failures;
  s.availability = 1 - down_node_seconds(record, from, to) / (to_seconds(to - from) * result.machine.nodes);
  for (const InterruptedRun& run : result.interrupted) s.interruptions += run.by == InterruptedBy::kFailure;
  for (const Outcome& o : result.outcomes) s.lost_jobs += o.state == FinalState::kLost;
  return s;
}

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

std::vector<std::string> late_reservation_warnings(const RunResult& result) {
  std::vector<std::string> lines;
  if (result.reservations.empty() || result.timeline.empty()) return lines;
  const std::vector<WindowUse> windows = windows_of(result, result.timeline.front().time, result.timeline.back().time);
  for (auto first = windows.begin(), end = first; first != windows.end(); first = end) {
    double reserved = 0, withheld = 0;  // of the late windows of one reservation
    std::int64_t late = 0;
    Time since{};
    for (; end != windows.end() && &end->of == &first->of; ++end) {
      if (end->withheld <= 0) continue;
      if (late++ == 0) since = end->window.from;
      reserved += end->reserved;
      withheld += end->withheld;
    }
    if (late == 0) continue;
    const std::string times = end - first == 1 ? "" : fmt::format(" {} of {} times, first", late, end - first);
    lines.push_back(
        fmt::format("reservation '{}' did not have all its nodes{} at {} s: jobs of others that ran there had "
                    "{:.1f} % of the time",
                    first->of.name, times, format_seconds(since.time_since_epoch()), 100 * withheld / reserved));
  }
  return lines;
}

std::vector<std::string> blocked_warnings(const RunResult& result) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> lines;
  for (const auto& [job, why] : result.blocked) {
    if (lines.size() == kNamed) break;
    lines.push_back(fmt::format("job {} never starts: {}", result.workload->jobs[job].id, why));
  }
  if (result.blocked.size() > kNamed)
    lines.push_back(fmt::format("of the others that never start there are {}; `coslice explain` says why, job by job",
                                result.blocked.size() - kNamed));
  return lines;
}

}  // namespace coslice

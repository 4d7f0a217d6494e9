#include "metrics/preemption_summary.h"

#include "metrics/last_run.h"

namespace coslice {

namespace {

/// Of the job's last run.
double last_run(const RunResult& result, JobIndex j, double seconds) {
  return seconds * result.archive.count(result.outcomes[j].nodes);
}

}  // namespace

double used_node_seconds(const RunResult& result) {
  double used = 0;
  for (const InterruptedRun& run : result.interrupted) used += to_seconds(run.to - run.from - run.away) * run.node_count;
  for (const SuspendedSpan& span : result.suspended)
    if (span.to != kNever) used -= to_seconds(span.to - span.from) * span.nodes;
  for (JobIndex j = 0; j != result.outcomes.size(); ++j) {
    const Outcome& o = result.outcomes[j];
    if (!has_last_run(o)) continue;
    const Duration away = result.sliced.empty() ? Duration{0} : result.sliced[j].away;
    used += last_run(result, j, to_seconds(o.end - o.start - away));
  }
  return used;
}

double checkpoint_node_seconds(const RunResult& result) {
  double sum = 0;
  for (JobIndex j = 0; j != result.checkpointing.size(); ++j)
    if (has_last_run(result.outcomes[j])) sum += last_run(result, j, to_seconds(result.checkpointing[j]));
  return sum;
}

PreemptionSummary summarize_preemptions(const RunResult& result) {
  PreemptionSummary s;
  s.suspended = static_cast<std::int64_t>(result.suspended.size());
  for (const SuspendedSpan& span : result.suspended)
    if (span.to != kNever) s.suspended_time += to_seconds(span.to - span.from);
  for (const InterruptedRun& run : result.interrupted) {
    if (run.by != InterruptedBy::kPolicy) continue;
    ++s.stopped;
    ++(run.requeued ? s.requeued : s.cancelled);
    s.lost += to_seconds(run.lost) * run.node_count;
  }
  s.checkpointing = checkpoint_node_seconds(result);
  const double used = used_node_seconds(result);
  if (used > 0) s.waste = (s.lost + s.checkpointing) / used;
  return s;
}

}  // namespace coslice

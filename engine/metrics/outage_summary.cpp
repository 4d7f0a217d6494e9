#include "metrics/outage_summary.h"

#include <algorithm>

#include "metrics/preemption_summary.h"
#include "resources/layout.h"

namespace coslice {

namespace {

double overlap(const NodeDown& down, Time from, Time to) {
  return std::max(0.0, to_seconds(std::min(down.to, to) - std::max(down.from, from)));
}

}  // namespace

double down_node_seconds(const OutageRecord& record, Time from, Time to) {
  double sum = 0;
  for (const NodeDown& down : record.down) sum += overlap(down, from, to);
  return sum;
}

double down_core_seconds(const OutageRecord& record, const MachineSpec& machine, Time from, Time to) {
  const auto kinds = kinds_of(machine);
  double sum = 0;
  for (const NodeDown& down : record.down)
    sum += overlap(down, from, to) * static_cast<double>(kinds->kind_of(down.node).core_share() / kWholeCore);
  return sum;
}

OutageSummary summarize_outages(const RunResult& result, Time from, Time to) {
  const OutageRecord& record = *result.outages;
  OutageSummary s;
  s.failures = record.failures;
  s.availability = 1 - down_node_seconds(record, from, to) / (to_seconds(to - from) * result.machine.nodes);
  for (const InterruptedRun& run : result.interrupted) {
    if (run.by != InterruptedBy::kFailure) continue;
    ++s.interruptions;
    s.lost += to_seconds(run.lost) * run.node_count;
  }
  for (const Outcome& o : result.outcomes) s.lost_jobs += o.state == FinalState::kLost;
  s.checkpointing = checkpoint_node_seconds(result);
  const double used = used_node_seconds(result);
  if (used > 0) s.waste = (s.lost + s.checkpointing) / used;
  return s;
}

}  // namespace coslice

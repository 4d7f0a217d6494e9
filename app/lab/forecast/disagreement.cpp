#include "lab/forecast/disagreement.h"

#include "machine/eligibility.h"
#include "machine/node_names.h"

namespace coslice {
namespace {

constexpr Duration kJustLeft = whole_seconds(15 * 60), kLong = whole_seconds(30 * 60);
constexpr double kMostRuns = 0.9;

/// Whether a job has just left its nodes, or runs on them and is at its limit: they were not free.
bool has_just_left(const ForecastBase& base, const MachineState& state, JobIndex j) {
  const KnownJob& job = state.jobs[j];
  if (job.as == KnownAs::kRunning) return latest_end(base, j, job.start) <= later(state.now, kAtOnce);
  return job.as == KnownAs::kEnded && job.end > state.now - kJustLeft;
}

/// The nodes of these jobs. What no node of the machine is called is not there.
NodeSet just_left(const ForecastBase& base, const MachineState& state) {
  const auto layout = kinds_of(base.scenario.machine);
  const NodeLookup lookup(*layout);
  NodeSet nodes(layout->node_count());
  for (JobIndex j = 0; j != state.jobs.size(); ++j)
    if (!state.jobs[j].nodes.empty() && has_just_left(base, state, j)) lookup.insert(nodes, state.jobs[j].nodes, {});
  return nodes;
}

}  // namespace

Time latest_end(const ForecastBase& base, JobIndex j, Time start) {
  const EngineOptions& engine = base.scenario.engine;
  if (engine.at_limit != AtLimit::kKill) return kNever;
  const Job& job = base.workload.jobs[j];
  Duration beyond = engine.over_limit;
  if (job.request != kNoRequest && names_kinds(base.scenario.machine)) {
    const MachineLayout& layout = *base.scenario.machine.layout;
    const std::int32_t partition = partitions_of(layout, base.workload.requests[job.request]).front();
    if (partition >= 0) beyond = layout.partitions[static_cast<std::size_t>(partition)].over_limit.value_or(beyond);
  }
  return later(start, job.limit + beyond);
}

std::vector<JobIndex> kept_beside_free_nodes(const ForecastBase& base, const MachineState& state,
                                             const std::vector<ForecastRun>& runs) {
  std::vector<JobIndex> out;
  const NodeSet left = just_left(base, state);
  std::size_t i = 0;  // among those that wait
  for (JobIndex j = 0; j != state.jobs.size(); ++j) {
    if (state.jobs[j].as != KnownAs::kWaiting) continue;
    std::size_t at_once = 0;
    for (const ForecastRun& run : runs) {
      const auto found = run.at_once.find(i);
      at_once += found != run.at_once.end() && !left.intersects(found->second) ? 1 : 0;
    }
    ++i;
    const bool mostly = static_cast<double>(at_once) >= kMostRuns * static_cast<double>(runs.size());
    if (mostly && state.now - base.workload.jobs[j].submit >= kLong) out.push_back(j);
  }
  return out;
}

}  // namespace coslice

#include "lab/forecast/disagreement.h"

#include "resources/node_lookup.h"

namespace coslice {

namespace {

constexpr Duration kJustLeft = whole_seconds(15 * 60), kLong = whole_seconds(30 * 60);
constexpr double kMostRuns = 0.9;

/// The nodes that jobs have just left. What no node of the machine is called is not there.
NodeSet just_left(const MachineLayout& layout, const MachineState& state) {
  const NodeLookup lookup(layout);
  NodeSet nodes(layout.node_count());
  for (const KnownJob& job : state.jobs)
    if (job.as == KnownAs::kEnded && job.end > state.now - kJustLeft && !job.nodes.empty()) lookup.insert(nodes, job.nodes, {});
  return nodes;
}

}  // namespace

std::vector<JobIndex> kept_beside_free_nodes(const ForecastBase& base, const MachineState& state,
                                             const std::vector<ForecastRun>& runs) {
  std::vector<JobIndex> out;
  const NodeSet left = just_left(*kinds_of(base.scenario.machine), state);
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

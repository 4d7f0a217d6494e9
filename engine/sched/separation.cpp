// Pairs whose estimate proved wrong: one of the two stops, and goes on when the other has ended. (Sodan & Lan 2005,
// Section 5.1.)

#include "core/error.h"
#include "sched/sliced_simulation.h"

namespace coslice {

void SlicedSimulation::separate(Group& group) {
  StartedJob& primary = *group.primary;
  const bool over_it =
      group.matched.size() == 1 && group.matched.front().overlap == group.matched.front().job->node_count;
  if (group.apart || !over_it || worlds_.size() != 1)
    throw SimulationError(
        "only a pair can be taken apart, of which one job lies wholly over the nodes of the other, and "
        "not under time slices");
  StartedJob& job = *group.matched.front().job;
  account(primary);
  stop(job);
  group.apart = true;
  set_rate(primary, slowdown_alone(primary.index, primary.ppn));
  hold_group(group);
}

/// As planned_ends(): the primary runs alone, then the other one does.
std::vector<Duration> SlicedSimulation::ends_apart(const Group& group) {
  const StartedJob& job = *group.matched.front().job;
  account(*group.primary);
  const Duration first = group.primary->planned_left.time_at(group.primary->rate);
  return {first, first + job.planned_left.time_at(Rate::of_slowdown(slowdown_alone(job.index, job.ppn)))};
}

/// The primary has ended, the other one has its nodes for itself.
void SlicedSimulation::go_on(StartedJob& job) {
  for (Observer* o : observers_) o->resumed(now_, job.index, job.nodes);
  set_going(job);
}

}  // namespace coslice

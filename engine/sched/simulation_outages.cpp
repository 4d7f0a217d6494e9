// Nodes that go and come back (OutageEvents), and the jobs on them.
#include <algorithm>

#include "cluster/node_ids.h"
#include "sched/simulation.h"

namespace coslice {

/// Maintenance is known from the beginning.
void Simulation::plan_maintenance() {
  for (const Outage& o : machine_.outages->options().plan.listed)
    if (o.kind == OutageKind::kMaintenance && o.to > now_) view_.plan_outage(o.nodes, o.from, o.to);
}

void Simulation::maintenance_begins(const Outage& outage) {
  view_.forget_outage(outage.nodes, outage.from, outage.to);
}

void Simulation::is_gone(NodeId n) {
  machine_.occupancy.take_away(n);
  if (machine_.power) machine_.power->goes_away(n, now_);
}

bool Simulation::bring_back(NodeId n) {
  machine_.away->bring_back(n);
  const bool was_gone = machine_.occupancy.bring_back(n);
  if (machine_.power && was_gone) machine_.power->comes_back(n, now_);
  return was_gone;
}

void Simulation::interrupt_jobs_on(NodeId n) {
  const std::int32_t jobs = jobs_on(n);
  const NodeRanges node = as_ranges({n});
  std::vector<StartedJob*> struck;
  for (StartedJob& job : view_.started_jobs()) {
    if (common_nodes(job.nodes, node) != 0) struck.push_back(&job);
    if (std::ssize(struck) == jobs) break;
  }
  const bool requeue = machine_.outages->options().interrupted == AfterFailure::kRequeued;
  for (StartedJob* job : struck) {
    const JobIndex j = job->index;
    interrupt(*job, {InterruptedBy::kFailure, requeue, nullptr, kNoJob});
    if (requeue) requeue_job(j);
  }
}

void Simulation::requeue_job(JobIndex j) {
  if (too_late(j)) return reject(j, Rejection::kOver);
  if (machine_.outages->options().place == RequeuePlace::kFront) view_.put_first(j);
  submit_job(j);
}

}  // namespace coslice

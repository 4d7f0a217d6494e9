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

bool Simulation::can_take_down(NodeId n) const {
  return machine_.book == nullptr ? machine_.outages->jobs_on(n) == 0 : machine_.book->can_take_down(n);
}

void Simulation::take_down(NodeId n, Time until) {
  if (machine_.book == nullptr) machine_.cluster.occupy(as_ranges({n}));
  machine_.away->take_down(n, until);
}

void Simulation::bring_back(NodeId n) {
  if (machine_.book == nullptr) machine_.cluster.vacate(as_ranges({n}));
  machine_.away->bring_back(n);
  if (machine_.power) machine_.power->comes_back(n, now_);
}

void Simulation::interrupt_jobs_on(NodeId n) {
  const std::int32_t jobs = machine_.outages->jobs_on(n);
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

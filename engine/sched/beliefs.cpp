#include "sched/beliefs.h"

#include <algorithm>
#include <cmath>

#include "cluster/node_set.h"
#include "sched/contention.h"
#include "sched/job_demands.h"
#include "sched/view.h"

namespace coslice {

namespace {

/// Whether some node of the kind may be the job's.
bool may_run_on(const JobDemands& demands, JobIndex j, const NodeKind& kind) {
  NodeRanges of_kind;
  of_kind.append(kind.first, kind.first + kind.count - 1);
  const Demand& demand = demands.demand(j);
  return std::any_of(demand.begin(), demand.end(), [&](std::int32_t u) { return demands.nodes(demands.unit(u)).intersects(of_kind); });
}

}  // namespace

double believed_speed(const View& view, JobIndex j, std::int32_t kind, JobIndex other) {
  if (const Contention* const contention = view.host().contention()) {
    const double slowdown = contention->expected_on(j, kind, other);
    return slowdown > 0 ? 1 / slowdown : 0;
  }
  const NodeKind& nodes = view.demands()->layout().kinds[static_cast<std::size_t>(kind)];
  return may_run_on(*view.demands(), j, nodes) ? nodes.speed : 0;
}

double believed_left(const View& view, const StartedJob& job) {
  double seconds = 0;
  if (view.host().contention() != nullptr || sliced_host(view) != nullptr) {
    Work work = job.planned_left;
    if (job.phase == Phase::kRunning) work -= Work::done(view.wall_now() - job.since, job.rate);
    seconds = work.seconds();
  } else {
    const double speed = view.demands() == nullptr ? 1 : view.demands()->layout().slowest_speed(job.nodes);
    seconds = to_seconds(job.expected_end - view.now()) * speed;
  }
  return std::max(0.0, seconds);
}

double on_machine_clock(const View& view, double seconds) {
  if (!(seconds >= 0) || seconds > kMaxSeconds) return seconds;  // NaN, and what never comes
  const double from_now = std::max(0.0, seconds - to_seconds(view.now()));
  const Time t = view.wall_time_after(from_seconds(from_now));
  return t == kNever ? HUGE_VAL : to_seconds(t);
}

}  // namespace coslice

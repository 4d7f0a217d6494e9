#include "sched/view_host.h"

#include "core/error.h"

namespace coslice {

void ViewHost::stop(StartedJob&, const StopOrder&) {
  throw SimulationError("running jobs cannot be stopped in groups on shared nodes, on shared processors and by coscheduling");
}

NodeRanges ViewHost::lendable(const StartedJob&) const {
  throw SimulationError("jobs cannot be suspended in place under time slices, on shared processors and by coscheduling");
}

void ViewHost::launch_over(StartedJob& job, const std::vector<StartedJob*>&) { lendable(job); }

void ViewHost::set_aside(JobIndex, Duration) {
  throw SimulationError("jobs cannot be set aside under time slices, on shared processors and by coscheduling");
}

void ViewHost::release(JobIndex) {}

std::optional<Duration> ViewHost::take_slice(JobIndex, std::int32_t, std::int32_t) {
  throw SimulationError("GPUs cannot be divided under time slices, on shared processors and by coscheduling");
}

void ViewHost::refuse(JobIndex, Rejection) {
  throw SimulationError("waiting jobs cannot be refused on shared processors and by coscheduling");
}

}  // namespace coslice

#include "sched/view_host.h"

#include "core/error.h"

namespace coslice {

void ViewHost::stop(StartedJob&, const StopOrder&) {
  throw SimulationError("running jobs cannot be stopped under time slices, on shared processors and by coscheduling");
}

void ViewHost::refuse(JobIndex) {
  throw SimulationError("waiting jobs cannot be refused under time slices, on shared processors and by coscheduling");
}

}  // namespace coslice

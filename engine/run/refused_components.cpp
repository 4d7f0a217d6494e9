// What jobs of several components cannot be combined with, where the library is used as such.
#include "core/refusals.h"
#include "run/running_jobs.h"

namespace coslice {

void RunningJobs::refuse_components(const SimulationResources& resources) const {
  if (shared_) fail_together(Feature::kComponents, Feature::kGroups);
  if (sliced()) fail_together(Feature::kComponents, Feature::kSlices);
  if (resources.contention != nullptr) fail_together(Feature::kComponents, Feature::kSlowdowns);
  if (divides_gpus(demands_->layout())) fail_together(Feature::kComponents, Feature::kDividedGpus);
}

}  // namespace coslice

// Waiting jobs that their policy sets aside, and lets wait in the queue again.
#include <algorithm>

#include "sched/simulation.h"

namespace coslice {

void Simulation::set_aside(JobIndex j, Duration planned) {
  ++happened_;
  aside_[j] = planned;
  for (Observer* o : observers_) o->set_aside(now_, j, true);
}

void Simulation::release(JobIndex j) {
  if (std::find(released_.begin(), released_.end(), j) == released_.end()) released_.push_back(j);
}

}  // namespace coslice

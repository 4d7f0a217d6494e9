// How a run ends in which jobs wait and nothing will let them start.
#pragma once

#include "core/error.h"

namespace coslice {

/// Jobs wait, and nothing is to come but passes that their scheduler asks for, which have not started them for more
/// than a year. Its text names the first of them; Simulation::left_waiting() counts them.
class VainWait : public SimulationError {
 public:
  using SimulationError::SimulationError;
};

}  // namespace coslice

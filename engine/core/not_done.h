// An error that leaves everything as it was.
#pragma once

#include "core/error.h"

namespace coslice {

/// What a policy asked for cannot be done, and nothing was done: the run is as before.
class NotDoneError : public SimulationError {
 public:
  using SimulationError::SimulationError;
};

}  // namespace coslice

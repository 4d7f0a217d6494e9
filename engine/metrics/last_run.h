// Whether a job's outcome is that of a run of its own.
#pragma once

#include "observers/result.h"

namespace coslice {

/// Whether the outcome is that of a run beside those that were interrupted (RunResult::interrupted).
inline bool has_last_run(const Outcome& outcome) {
  return outcome.end != kNever &&
         (outcome.state == FinalState::kCompleted || outcome.state == FinalState::kWalltimeReached);
}

}  // namespace coslice

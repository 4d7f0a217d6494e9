// What a policy would start now: the present state of a real machine as a simulation that stops at this instant.
// Nothing is kept from one time to the next, so that a daemon that was killed and comes again decides the same.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "drive/decider.h"
#include "drive/present.h"
#include "drive/queued_job.h"

namespace coslice::drive {

struct Decision {
  std::vector<const QueuedJob*> starts;                              ///< in the order in which the policy decided
  std::vector<std::pair<const QueuedJob*, std::string>> impossible;  ///< waiting jobs that can never run, and why
  std::vector<std::string> problems;                                 ///< what could not be taken into account, in words
};

/// Asks it. Numbers of new names are added to `decider`. Throws SimulationError if the policy raises an error.
Decision decide(Decider& decider, const Situation& now);

}  // namespace coslice::drive

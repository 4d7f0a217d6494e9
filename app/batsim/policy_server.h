// A policy decides for Batsim: it answers as a scheduler does that was written for its protocol. The machine is
// outside; a simulation of coslice runs beside it, in which jobs come and end as they do there.
#pragma once

#include <string>

#include "batsim/zmtp.h"
#include "scenario/scenario.h"

namespace coslice::batsim {

/// Where Batsim looks for a scheduler by default.
inline constexpr const char* kUsualServer = "tcp://*:28000";

/// Lets the policy of the scenario decide for whoever asks at the endpoint, until that simulation is over. Of the
/// scenario, the policy with its parameters, the seed, the classes of jobs and the limits of scripts count. `check` is
/// called while it waits; what it throws ends it. Throws InputError where the policy cannot decide there, or the other
/// side says what it may not say, which names the message; SimulationError where the policy raises an error.
void serve(const Scenario& scenario, const std::string& endpoint, const WhileWaiting& check);

}  // namespace coslice::batsim

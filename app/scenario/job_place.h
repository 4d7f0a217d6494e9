// Where the jobs of a scenario are written, for messages.
#pragma once

#include "core/value.h"
#include "scenario/scenario.h"

namespace coslice {

/// The place of the literal job with that number: the scenario's file is read once more for it. Without a source where
/// the job does not stand in a file: it comes from a flag, a suite or a job script.
Place place_of_literal_job(const Scenario& scenario, std::int64_t id);

}  // namespace coslice

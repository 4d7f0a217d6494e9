// Where keys and jobs of a scenario are written, for messages that come after it was read.
#pragma once

#include <string>

#include "core/value.h"
#include "scenario/scenario.h"

namespace coslice {

/// Returns the place of the literal job with that number: the scenario's file is read once more for it. Without a
/// source where the job does not stand in a file: it comes from a flag, a suite or a job script.
Place place_of_literal_job(const Scenario& scenario, std::int64_t id);

/// Throws InputError at the line of the key with that path (dotted), or of the nearest table around it that the
/// scenario's file has; without a line where it comes from a flag or a suite.
[[noreturn]] void fail_at_key(const Scenario& scenario, std::string path, std::string problem, std::string expected);

/// Throws an InputError at the line of a job, or of the workload that it comes from.
[[noreturn]] void fail_at_job(const Scenario& scenario, std::int64_t id, std::string problem, std::string expected);

}  // namespace coslice

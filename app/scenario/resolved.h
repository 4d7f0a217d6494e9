// The way back: a scenario as a TOML file with nothing left open.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scenario/scenario.h"

namespace coslice {

/// The SHA-256 of the file at a path.
using FileDigest = std::function<std::string(const std::string& path)>;

/// Returns the complete scenario as a TOML file to stand in `folder`: every key that is set or has a default, in a
/// fixed order, paths relative to `folder`, numbers exact. [inputs] holds the SHA-256 of each file of input_files() and
/// `inputs`, which the caller adds for what only it knows: {"policy:easy", digest}. Loading it gives an equal scenario,
/// as long as the inputs have not changed. Throws InputError if an input cannot be read.
/// `digest` is asked for the SHA-256 of a file; absent: the file is read.
std::string resolved_toml(const Scenario& scenario, const std::string& folder,
                          const std::vector<RecordedInput>& inputs = {}, const FileDigest& digest = {});

/// Returns what [inputs] of that file holds.
std::vector<RecordedInput> recorded_inputs(const Scenario& scenario, const std::string& folder,
                                           const std::vector<RecordedInput>& inputs = {},
                                           const FileDigest& digest = {});

/// Returns all keys that are set, with their values, inputs left out: equal for scenarios that mean the same.
Value scenario_values(const Scenario& scenario);

}  // namespace coslice

// Parameters of a scenario's scripts that are what a file says: NAME = { csv = PATH }, NAME = { json = PATH }. They are
// inputs like any other.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scenario/scenario.h"

namespace coslice {

/// Returns the paths of the files that a scenario's scripts read, relative to the current folder, each once.
std::vector<std::string> script_row_files(const Scenario& scenario);

/// Writes each path as `moved` says, which gets it as seen from the current folder.
void move_script_rows(Scenario& scenario, const std::function<std::string(const std::string& path)>& moved);

}  // namespace coslice

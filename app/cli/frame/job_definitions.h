// The attributes of jobs as definitions for editors.
#pragma once

#include <string>

namespace coslice::cli {

/// Definitions for the Lua language server: lua/meta/jobs.lua is its output.
std::string job_definitions();

}  // namespace coslice::cli

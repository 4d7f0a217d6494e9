// What the program says of itself as pages and definitions: the manual, the figures, the attributes of jobs.
#pragma once

#include <string>

namespace coslice::cli {

// The manual, from the commands' own descriptions.

/// As a man page (roff).
std::string manual_roff();
/// As a Markdown page: docs/commands.md is its output.
std::string manual_markdown();

// The catalogue of figures as a page of the documentation and as definitions for editors.

/// docs/figures.md is its output.
std::string figure_reference_markdown();
/// Definitions for the Lua language server: lua/meta/figures.lua is its output.
std::string figure_definitions();

// The attributes of jobs as definitions for editors.

/// Definitions for the Lua language server: lua/meta/jobs.lua is its output.
std::string job_definitions();

}  // namespace coslice::cli

// The catalogue of figures as a page of the documentation and as definitions for editors.
#pragma once

#include <string>

namespace coslice::cli {

/// docs/figures.md is its output.
std::string figure_reference_markdown();
/// Definitions for the Lua language server: lua/meta/figures.lua is its output.
std::string figure_definitions();

}  // namespace coslice::cli

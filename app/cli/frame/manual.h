// The manual, from the commands' own descriptions.
#pragma once

#include <string>

namespace coslice::cli {

/// As a man page (roff).
std::string manual_roff();
/// As a Markdown page: docs/commands.md is its output.
std::string manual_markdown();

}  // namespace coslice::cli

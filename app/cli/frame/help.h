// Help texts: examples first, then how to call it, then every option.
#pragma once

#include <cstddef>
#include <string>

#include "cli/frame/command.h"

namespace coslice::cli {

/// Returns the help of the program, for a terminal of `width` columns.
std::string help_text(std::size_t width);
/// Returns the help of one command, for a terminal of `width` columns.
std::string help_text(const Command& command, std::size_t width);

/// What the program does, and its first examples.
struct ProgramTexts {
  std::string summary;
  std::vector<Example> examples;
  std::string text;
};
const ProgramTexts& program_texts();
/// Returns the exit statuses in words.
std::string exit_status_text();

}  // namespace coslice::cli

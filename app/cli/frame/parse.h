// Arguments of the command line. CLI11 stays behind this header.
#pragma once

#include <string>
#include <vector>

#include "cli/frame/command.h"

namespace coslice::cli {

struct Invocation {
  const Command* command = nullptr;  ///< null: none was named
  bool help = false, version = false;
};

/// Parses the arguments (without the program's name) and fills what the command's options and arguments point to.
/// Throws InputError, with a suggestion, for whatever does not belong there.
Invocation parse_arguments(const std::vector<std::string>& arguments);

}  // namespace coslice::cli

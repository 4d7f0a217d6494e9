// The program: a thin client of the library. Start reading here; each command has a file of its own, cmd_*.cpp.
#pragma once

#include <string>
#include <vector>

namespace coslice::cli {

/// Parses, runs the command, and turns whatever is thrown into a message on stderr and an exit status (ExitStatus).
int run_program(const std::vector<std::string>& arguments);

}  // namespace coslice::cli

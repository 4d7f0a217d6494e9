// Running another program.
#pragma once

#include <string>
#include <vector>

namespace coslice::cli {

struct ChildResult {
  int status = 0;  ///< exit status, 128 + the signal that ended it, or 127 if it is not there
  std::string out, err;
};

/// Runs a program of the PATH with these arguments and this text on its standard input, until it ends.
ChildResult run_child(const std::vector<std::string>& command, const std::string& input);

}  // namespace coslice::cli

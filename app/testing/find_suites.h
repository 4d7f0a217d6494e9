// Which files are suites.
#pragma once

#include <string>
#include <vector>

namespace coslice {

/// Returns the suites that the paths name, sorted, each once: files as they are, of folders all *_test.lua below them.
/// Without paths: all *_test.lua below the current folder, except in folders that begin with a dot or are called
/// "build". Throws InputError for a path that does not exist and for folders without a suite.
std::vector<std::string> find_suites(const std::vector<std::string>& paths);

}  // namespace coslice

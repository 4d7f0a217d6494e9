// What the program was built with and runs on: for --version, and for the `environment` of summary.json. Nothing that
// a result depends on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/value.h"

namespace coslice {

/// A library that we stand on.
struct Component {
  std::string name, version;
};

/// Returns the version of coslice: "1.2.3".
std::string program_version();
/// Returns the build type and the compiler, "Release, GCC 12.2.0", and "sanitizers" where they are in.
std::string build_description();
/// Returns Lua and the libraries, with their versions.
std::vector<Component> components();
/// Returns the machine's own name, "" if it has none.
std::string host_name();
/// Returns the environment as a table, for RunInfo::environment.
Value environment_value();
/// Returns the most memory that the process has taken so far, in KB.
std::int64_t peak_memory_kb();

}  // namespace coslice

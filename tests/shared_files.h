// Where the shared folder with real traces lies: beside the project, or where the environment says.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace coslice_test {

/// Path of a file below the shared folder, e.g. shared_file("traces/x.swf.gz"); "" if it is not there.
inline std::string shared_file(const std::string& name) {
  const char* folder = std::getenv("COSLICE_SHARED");
#ifdef COSLICE_SHARED
  const std::string root = folder != nullptr ? folder : COSLICE_SHARED;
#else
  const std::string root = folder != nullptr ? folder : "../shared";
#endif
  const std::string path = root + "/" + name;
  return std::filesystem::exists(path) ? path : std::string();
}

}  // namespace coslice_test

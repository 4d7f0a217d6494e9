// Lines of a trace that cannot be read, where a reader may go on without them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace coslice {

/// Given to a reader, it lets bad lines be left out instead of ending the reading.
struct SkippedLines {
  static constexpr std::size_t kShown = 5;
  std::int64_t count = 0;
  std::vector<std::string> first;  ///< what is wrong with the first kShown, with file and line

  void add(std::string complaint) {
    if (++count <= static_cast<std::int64_t>(kShown)) first.push_back(std::move(complaint));
  }
};

}  // namespace coslice

// What has changed between two texts, line by line, for people.
#pragma once

#include <string>
#include <vector>

namespace coslice {

/// Returns the lines that were taken away, `-`, and those that came, `+`: as few as there can be. Lines that differ
/// only in how wide a table's columns are count as equal, unless nothing else differs. At most a dozen of each are
/// shown.
std::string line_difference(const std::vector<std::string>& before, const std::vector<std::string>& now);

}  // namespace coslice

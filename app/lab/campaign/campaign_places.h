// Where results of a campaign stand side by side, though some policies lack some of its parameters.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace coslice {

using Coordinates = std::vector<std::string>;  ///< a value on each axis; "" where one does not apply

/// A policy without a parameter is run once for all values of that axis: its results stand beside those of the others
/// at each of them. For each of the coordinates, which must differ, those where its results are shown: itself, or, if
/// it covers others, these.
std::map<Coordinates, std::vector<Coordinates>> standing_places(const std::vector<Coordinates>& all);

}  // namespace coslice

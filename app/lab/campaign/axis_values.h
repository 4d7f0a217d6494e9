// The values of one axis, as a campaign file gives them.
#pragma once

#include <string>
#include <vector>

#include "core/value.h"

namespace coslice {

/// Returns a list as it is; a range { from, to, step } or { from, to, factor } written out, its ends included. Numbers
/// of a range have at most 12 digits, so that 0.1 and 0.2 are followed by 0.3. `path` is how errors call it.
/// Throws InputError: an empty list, something else, a range that never ends.
std::vector<Value> axis_values(const Value& v, const std::string& path);

/// Throws InputError if a value appears twice in an axis that is not zipped.
void require_distinct(const std::vector<Value>& values, const std::string& path);

}  // namespace coslice

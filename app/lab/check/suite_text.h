// A scenario as a suite writes it down.
#pragma once

#include <string>

#include "core/value.h"

namespace coslice::check {

/// Returns what stands in the braces of `simulate { ... }`: keys a line each, the jobs last, a line each.
std::string lua_of(const Value& tree, const std::string& indent);

}  // namespace coslice::check

// Numbers and times on the command line.
#pragma once

#include <cstdint>
#include <string>

#include "core/time.h"

namespace coslice::cli {

/// Returns the text as a span of time: a number of seconds, or one with a unit, "90min", "1.5h", "3d". Throws
/// InputError that names the flag.
Duration span_of(const std::string& flag, const std::string& text);

}  // namespace coslice::cli

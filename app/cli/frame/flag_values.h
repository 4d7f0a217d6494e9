// Numbers and times on the command line.
#pragma once

#include <cstdint>
#include <string>

#include "core/time.h"

namespace coslice::cli {

// Numbers on the command line.

/// The text as a whole number from low to high. Throws InputError that names the flag.
std::int64_t whole_number(const std::string& flag, const std::string& text, std::int64_t low, std::int64_t high);

// Times on the command line.

/// The text as a span of time: a number of seconds, or one with a unit, "90min", "1.5h", "3d". Throws InputError that
/// names the flag.
Duration span_of(const std::string& flag, const std::string& text);

}  // namespace coslice::cli

// Numbers on the command line.
#pragma once

#include <cstdint>
#include <string>

namespace coslice::cli {

/// The text as a whole number from low to high. Throws InputError that names the flag.
std::int64_t whole_number(const std::string& flag, const std::string& text, std::int64_t low, std::int64_t high);

}  // namespace coslice::cli

// Value trees as text: TOML, in which scenarios are written and errors show what they found.
#pragma once

#include <string>
#include <string_view>

#include "core/value.h"

namespace coslice {

/// The value as TOML on one line; numbers are the shortest text that reads back as the same number, a fractional
/// type always shows as one ("1.0").
std::string toml_text(const Value& v);

/// The key as TOML writes it: bare where it may be, else quoted.
std::string toml_key(std::string_view key);

}  // namespace coslice

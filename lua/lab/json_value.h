// Trees of plain data as JSON and back.
#pragma once

#include <string>
#include <string_view>

#include "core/value.h"

namespace coslice {

/// The JSON text as a tree; null is nil. Throws InputError if it is no JSON.
Value value_from_json(std::string_view text);

/// The tree as JSON on one line, members in the order of their keys.
std::string json_from_value(const Value& v);

}  // namespace coslice

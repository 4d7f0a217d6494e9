// Trees of plain data as JSON and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/value.h"

namespace coslice {

/// The JSON text as a tree; null is nil. Throws InputError if it is no JSON.
Value value_from_json(std::string_view text);

/// Returns the tree as a value of the JSON library, for both of its types: nlohmann::json, and ordered_json, in which members
/// keep their order.
template <class Json>
Json json_of_value(const Value& v);

/// The tree as JSON on one line, members in the order of their keys.
std::string json_from_value(const Value& v);

/// The number that stands at the end of a path of keys: {"all", "wait", "mean"}. A flag is no number.
std::optional<double> number_at(const Value& v, const std::vector<std::string>& path);
/// The text there, or "".
std::string text_at(const Value& v, const std::vector<std::string>& path);

}  // namespace coslice

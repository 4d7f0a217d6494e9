// JSON of others' files. Only for sources: users of the library need not have its JSON library.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace coslice {

/// Returns the text as a tree. `what` the text should be, for messages. Throws InputError with the line if the text is
/// not JSON.
nlohmann::json parse_json(std::string_view text, const std::string& file, const std::string& what);

}  // namespace coslice

// JSON of others' files. Only for sources: users of the library need not have its JSON library.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace coslice {

/// Returns the text as a tree. `what` the text should be, for messages. Throws InputError with the line if the text is
/// not JSON.
nlohmann::json parse_json(std::string_view text, const std::string& file, const std::string& what);

/// Calls `each` with every item of a list, in order, and the line on which it begins; only one item is held at a
/// time. The list is the text itself, or the member `list` of the object that the text is. `what` the text should be,
/// for messages: "a job log of Philly". Throws InputError: not JSON, no such list, an item that is not an object.
void read_json_list(std::string_view text, const std::string& file, const std::string& list, const std::string& what,
                    const std::function<void(const nlohmann::json& object, int line)>& each);

}  // namespace coslice

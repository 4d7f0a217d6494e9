// JSON files as Lua sees them.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

struct lua_State;

namespace coslice {

/// Reads a JSON file, plain or gzip. `what` the file should be, for messages. Throws InputError: not there, not JSON.
nlohmann::json read_json_file(const std::string& path, const std::string& what);

/// Pushes the value: objects and lists are tables, null is false, as an empty cell of a CSV file is. Inside a protected
/// call; throws InputError where it is nested deeper than 32 levels.
void push_json(lua_State* L, const nlohmann::json& value);

}  // namespace coslice

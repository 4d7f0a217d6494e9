// Files of rows as Lua sees them: comma-separated values and JSON.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "formats/trace_file.h"

struct lua_State;

namespace coslice {

// Tables of comma-separated values as Lua sees them.

/// Pushes a cell: a number where it is one, false where it is empty, else a text. Inside a protected call.
void push_csv_cell(lua_State* L, std::string_view cell);

/// Pushes the rows of the table, each with its cells by the names of the columns. Inside a protected call.
void push_csv_rows(lua_State* L, const CsvTable& table);

// JSON files as Lua sees them.

/// Reads a JSON file, plain or gzip. `what` the file should be, for messages. Throws InputError: not there, not JSON.
nlohmann::json read_json_file(const std::string& path, const std::string& what);

/// Pushes the value: objects and lists are tables, null is false, as an empty cell of a CSV file is. Inside a protected
/// call; throws InputError where it is nested deeper than 32 levels.
void push_json(lua_State* L, const nlohmann::json& value);

}  // namespace coslice

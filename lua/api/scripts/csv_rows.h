// Tables of comma-separated values as Lua sees them.
#pragma once

#include <string_view>

#include "formats/trace_file.h"

struct lua_State;

namespace coslice {

/// Pushes a cell: a number where it is one, false where it is empty, else a text. Inside a protected call.
void push_csv_cell(lua_State* L, std::string_view cell);

/// Pushes the rows of the table, each with its cells by the names of the columns. Inside a protected call.
void push_csv_rows(lua_State* L, const CsvTable& table);

}  // namespace coslice

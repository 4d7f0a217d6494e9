#include "api/scripts/csv_rows.h"

#include <cmath>

#include <lua.hpp>

#include <fast_float/fast_float.h>

namespace coslice {

void push_csv_cell(lua_State* L, std::string_view cell) {
  double number = 0;
  const char* const end = cell.data() + cell.size();
  const auto [stopped, error] = fast_float::from_chars(cell.data(), end, number);
  if (cell.empty()) lua_pushboolean(L, 0);
  else if (error == std::errc() && stopped == end && std::isfinite(number)) lua_pushnumber(L, number);
  else lua_pushlstring(L, cell.data(), cell.size());
}

void push_csv_rows(lua_State* L, const CsvTable& table) {
  const auto columns = static_cast<int>(table.names().size());
  lua_createtable(L, static_cast<int>(table.rows()), 0);
  for (std::size_t row = 0; row != table.rows(); ++row) {
    lua_createtable(L, 0, columns);
    for (std::size_t c = 0; c != table.names().size(); ++c) {
      lua_pushlstring(L, table.names()[c].data(), table.names()[c].size());
      push_csv_cell(L, table.cell(row, c));
      lua_rawset(L, -3);
    }
    lua_rawseti(L, -2, static_cast<lua_Integer>(row) + 1);
  }
}

}  // namespace coslice

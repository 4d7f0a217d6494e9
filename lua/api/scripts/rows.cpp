#include "api/scripts/rows.h"

#include <cmath>

#include <lua.hpp>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/text.h"
#include "formats/json_text.h"

namespace coslice {

void push_csv_cell(lua_State* L, std::string_view cell) {
  const std::optional<double> number = parse_number<double>(cell);
  if (cell.empty()) lua_pushboolean(L, 0);
  else if (number && std::isfinite(*number)) lua_pushnumber(L, *number);
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

namespace {

constexpr int kDeepest = 32;

void push(lua_State* L, const nlohmann::json& value, int depth) {
  if (depth == kDeepest) throw InputError({"", 0, "the JSON is nested too deep", "at most 32 levels"});
  luaL_checkstack(L, 3, "JSON nested too deeply");
  if (value.is_object()) {
    lua_createtable(L, 0, static_cast<int>(value.size()));
    for (const auto& [name, member] : value.items()) {
      lua_pushlstring(L, name.data(), name.size());
      push(L, member, depth + 1);
      lua_rawset(L, -3);
    }
  } else if (value.is_array()) {
    lua_createtable(L, static_cast<int>(value.size()), 0);
    lua_Integer i = 0;
    for (const nlohmann::json& item : value) {
      push(L, item, depth + 1);
      lua_rawseti(L, -2, ++i);
    }
  } else if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    lua_pushlstring(L, text.data(), text.size());
  } else if (value.is_number()) {
    lua_pushnumber(L, value.get<double>());
  } else {
    lua_pushboolean(L, value.is_boolean() && value.get<bool>() ? 1 : 0);
  }
}

}  // namespace

nlohmann::json read_json_file(const std::string& path, const std::string& what) {
  return parse_json(read_packed(path), path, what);
}

void push_json(lua_State* L, const nlohmann::json& value) { push(L, value, 0); }

}  // namespace coslice

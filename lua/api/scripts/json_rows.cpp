#include "api/scripts/json_rows.h"

#include <lua.hpp>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "formats/json_text.h"
#include "formats/trace_file.h"

namespace coslice {
namespace {

constexpr int kDeepest = 32;

void push(lua_State* L, const nlohmann::json& value, int depth) {
  if (depth == kDeepest) throw InputError({"", 0, "the JSON is nested too deep", "at most 32 levels", "", ""});
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

#include "host/sandbox.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "host/core.h"
#include "host/embedded.h"
#include "host/readonly.h"

namespace coslice::luahost {
namespace {

const char kBase = 0;  ///< its address is the registry key of the table of globals that environments copy

/// The functions of the base library that are harmless as they are.
const char* const kKeptGlobals[] = {"assert", "error",    "getmetatable", "ipairs",  "rawequal",
                                    "select", "tonumber", "type",         "_VERSION"};

struct Library {
  const char* name;
  lua_CFunction open;
  void (*tame)(lua_State*);
};
const Library kLibraries[] = {{"coroutine", luaopen_coroutine, install_coroutines},
                              {"math", luaopen_math, install_math},
                              {"string", luaopen_string, install_strings},
                              {"table", luaopen_table, install_tables},
                              {"utf8", luaopen_utf8, install_utf8}};

/// Stack: base. Opens Lua's own base library elsewhere and takes over what is harmless.
void keep_harmless(lua_State* L) {
  lua_pushcfunction(L, luaopen_base);
  lua_call(L, 0, 1);
  for (const char* name : kKeptGlobals) {
    lua_getfield(L, -1, name);
    lua_setfield(L, -3, name);
  }
  lua_pop(L, 1);
}

void open_libraries(lua_State* L) {
  for (const Library& library : kLibraries) {
    lua_pushcfunction(L, library.open);
    lua_call(L, 0, 1);
    library.tame(L);
    lua_setfield(L, -2, library.name);
  }
}

/// The table of globals that luaopen_base filled must not be found again.
void empty_standard_globals(lua_State* L) {
  lua_newtable(L);
  lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}

/// The Lua half: runs before the library tables are locked, so that it can add to them.
void run_prelude(lua_State* L) {
  const EmbeddedFile* prelude = find_embedded("lib/prelude.lua");
  if (luaL_loadbufferx(L, prelude->text.data(), prelude->text.size(), "@lib/prelude.lua", "t") != LUA_OK) lua_error(L);
  lua_pushvalue(L, -2);
  lua_setupvalue(L, -2, 1);
  lua_call(L, 0, 0);
}

void lock_libraries(lua_State* L) {
  for (const Library& library : kLibraries) {
    lua_getfield(L, -1, library.name);
    push_readonly(L, -1, library.name);
    lua_setfield(L, -3, library.name);
    lua_pop(L, 1);
  }
}

/// Adds the keys of the table on the top of the stack that are text, in their order: equally near names are told in the
/// same order each time. Leaves room on the stack to the caller: it needs 2.
void add_sorted_names(lua_State* L, std::vector<std::string>& names) {
  const std::size_t before = names.size();
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) == LUA_TSTRING) names.emplace_back(lua_tostring(L, -1));
  }
  std::sort(names.begin() + static_cast<std::ptrdiff_t>(before), names.end());
}

}  // namespace

void install_sandbox(lua_State* L) {
  prepare_limit_text(L);
  withhold_metafields(L);
  lua_newtable(L);
  keep_harmless(L);
  empty_standard_globals(L);
  install_base(L);
  install_protected_calls(L);
  install_require(L);
  open_libraries(L);
  run_prelude(L);
  lock_libraries(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kBase);
}

void push_environment(lua_State* L) {
  luaL_checkstack(L, 5, "environment");
  lua_createtable(L, 0, 40);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &kBase);
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -5);
  }
  lua_pop(L, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "_G");
  push_load(L, -1);
  lua_setfield(L, -2, "load");
}

std::vector<std::string> global_names(lua_State* L) {
  const StackGuard guard(L);
  std::vector<std::string> names = {"_G", "load"};
  if (lua_checkstack(L, 3) == 0) return names;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &kBase);
  add_sorted_names(L, names);
  return names;
}

std::string near_library_function(lua_State* L, const std::string& name) {
  const StackGuard guard(L);
  if (lua_checkstack(L, 5) == 0) return "";
  lua_rawgetp(L, LUA_REGISTRYINDEX, &kBase);
  for (const Library& library : kLibraries) {
    lua_getfield(L, -1, library.name);
    luaL_getmetafield(L, -1, "__index");  // what the locked library shows
    std::vector<std::string> names;
    add_sorted_names(L, names);
    lua_pop(L, 2);
    const std::string near = misspelt_name(name, names);
    if (!near.empty()) return fmt::format("did you mean '{}.{}'?", library.name, near);
  }
  return "";
}

}  // namespace coslice::luahost

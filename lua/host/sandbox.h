// What scripts see of Lua's libraries, and what they do not: no files, no processes, no bytecode, no debug library, no
// `next` (its order is random per process), no collectgarbage, no finalisers, no addresses, nothing endless.
// lua/README.md lists the differences to standard Lua for authors.
#pragma once

#include <string>
#include <vector>

struct lua_State;

namespace coslice::luahost {

/// Opens and tames the libraries; called once, inside a protected call.
void install_sandbox(lua_State* L);

/// Pushes a fresh table of globals.
void push_environment(lua_State* L);
/// Returns the names in a fresh table of globals.
std::vector<std::string> global_names(lua_State* L);
/// Returns "did you mean 'string.format'?" for a name like "formt"; "" if no function of a library is spelt like that.
std::string near_library_function(lua_State* L, const std::string& name);

// The parts, one file each. Each gets the table of its library, or of globals, on the top of the stack.
void install_base(lua_State* L);
void install_protected_calls(lua_State* L);  ///< pcall, xpcall
void install_coroutines(lua_State* L);
void install_strings(lua_State* L);
void install_patterns(lua_State* L);  ///< string.find, match, gmatch, gsub
void install_tables(lua_State* L);
void install_math(lua_State* L);
void install_utf8(lua_State* L);
void install_require(lua_State* L);

}  // namespace coslice::luahost

// Tables whose missing members are errors, with a suggestion.
#pragma once

#include <string>
#include <vector>

struct lua_State;

namespace coslice {

/// Scripts see nothing of the metatable on the top of the stack, nor its functions.
void hide_metatable(lua_State* L);

/// Raises "WHAT has no field 'KEY'" for the key at the stack index, with the name that was meant.
[[noreturn]] void refuse_unknown_field(lua_State* L, const std::string& what, int key,
                                       const std::vector<std::string>& names);

/// Raises the error of an unknown member inside __index(table, key): the known names are those that the table has.
[[noreturn]] void refuse_unknown_member(lua_State* L, const std::string& what);

}  // namespace coslice

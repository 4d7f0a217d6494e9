// Reading a field that a table does not have: an error with a suggestion instead of an unnoticed nil.
#pragma once

#include <string>
#include <vector>

struct lua_State;

namespace coslice {

/// Raises a Lua error at the line of the script that reads: "<what> no field 'x'; did you mean 'y'?".
/// `what` is e.g. "a node has"; `more` is a further sentence.
[[noreturn]] void raise_unknown_field(lua_State* L, const char* what, const char* name,
                                      const std::vector<std::string>& known, const char* more = "");

/// Returns the text keys of the table at that stack index, whose own they are.
std::vector<std::string> text_keys(lua_State* L, int table);

/// Gives the table on the top of the stack a metatable with which reading a text key that it does not have is such an
/// error. `what` and `more` are constants: tables with the same `more`, or without it the same `what`, share the
/// metatable. May raise a Lua memory error.
void refuse_unknown_fields(lua_State* L, const char* what, const char* more = "");

}  // namespace coslice

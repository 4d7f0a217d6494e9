// The view's methods for pairs of jobs.
#pragma once

struct lua_State;

namespace coslice {

class GroupDesk;

/// Adds them to the table on the top of the stack.
void add_pair_methods(lua_State* L, GroupDesk& desk);

}  // namespace coslice

// The view's methods for pairs of jobs.
#pragma once

struct lua_State;

namespace coslice {

class GroupContext;

/// Adds them to the table on the top of the stack.
void add_pair_methods(lua_State* L, GroupContext& context);

}  // namespace coslice

// The view's methods for walks along a long queue in which most jobs can neither start nor be in a group.
#pragma once

struct lua_State;

namespace coslice {

class GroupContext;

/// Adds them to the table on the top of the stack.
void add_prospect_methods(lua_State* L, GroupContext& context);

}  // namespace coslice

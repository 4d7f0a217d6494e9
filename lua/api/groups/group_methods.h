// The view's methods for pairs of jobs and for groups.
#pragma once

struct lua_State;

namespace coslice {

// The view's methods for pairs of jobs.

class GroupContext;

/// Adds them to the table on the top of the stack.
void add_pair_methods(lua_State* L, GroupContext& context);

// The view's methods for walks along a long queue in which most jobs can neither start nor be in a group.

class GroupContext;

/// Adds them to the table on the top of the stack.
void add_prospect_methods(lua_State* L, GroupContext& context);

}  // namespace coslice

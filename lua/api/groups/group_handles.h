// How Lua holds candidates and groups. For the .cpp files of groups only; sees Lua's headers.
#pragma once

#include <lua.hpp>

#include "api/groups/group_object.h"
#include "host/bind.h"
#include "sharing/group_search.h"

namespace coslice::groups {

extern const char* const kCandidatesType;
extern const char* const kGroupType;
extern const char* const kGroupsType;

/// Returns the context of the running method (its first upvalue).
GroupContext& context_of(lua_State* L);
template <int (*F)(lua_State*, GroupContext&)>
int with_context(lua_State* L) {
  return F(L, context_of(L));
}
/// A method that gets the context as what Lua can call.
template <int (*F)(lua_State*, GroupContext&)>
constexpr lua_CFunction method = luahost::guarded<with_context<F>>;
/// Returns the list or plan at the stack index; raises an error if it is none, or of an earlier hook.
Candidates& check_list(lua_State* L, GroupContext& d, int index);
GroupPlan& check_plan(lua_State* L, GroupContext& d, int index);
int push_list(lua_State* L, GroupContext& d, Candidates list);
int push_plan(lua_State* L, GroupContext& d, GroupPlan plan);
/// Pushes several plans; the second form those that the context has already.
int push_plans(lua_State* L, GroupContext& d, std::vector<GroupPlan> plans);
int push_set(lua_State* L, GroupContext& d, std::vector<std::size_t> plans);
std::vector<std::size_t>& check_set(lua_State* L, GroupContext& d, int index);
/// Pushes the plan at that index of the context.
void push_plan_at(lua_State* L, GroupContext& d, std::size_t index);
void push_job(lua_State* L, const GroupContext& d, JobIndex j);
/// Returns the candidate that the job at the stack index would be, waiting or running.
Candidate candidate_of(lua_State* L, GroupContext& d, int index);
/// Returns the options table at the stack index.
Tolerance tolerance_option(lua_State* L, int table, const char* of);
FairnessOptions fairness_option(lua_State* L, int table, const char* of);
/// Makes a type known with methods that reach the context. `index`, if it is given, is called for fields, with the
/// methods as its second upvalue; `length` for the operator #.
void build_type(lua_State* L, GroupContext& context, const char* type, const luaL_Reg* methods, lua_CFunction index,
                lua_CFunction length);
/// Adds methods that reach the context to the table on the top of the stack.
void set_methods(lua_State* L, const luaL_Reg* methods, GroupContext& context);
/// Makes the type of sets of groups known.
void build_groups_metatable(lua_State* L, GroupContext& context);
/// Makes the type of lists of candidates known.
void build_candidates_metatable(lua_State* L, GroupContext& context);

}  // namespace coslice::groups

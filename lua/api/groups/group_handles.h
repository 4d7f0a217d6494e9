// How Lua holds candidates and groups. For the .cpp files of groups only; sees Lua's headers.
#pragma once

#include "api/groups/group_object.h"
#include "api/view/view_call.h"
#include "sharing/group_search.h"

namespace coslice::groups {

extern const char* const kCandidatesType;
extern const char* const kGroupType;
extern const char* const kGroupsType;

/// Returns the context of the running method (its first upvalue).
GroupContext& context_of(lua_State* L);

/// The view that a method about groups was called for, and their context.
struct GroupCall : ViewCall {
  explicit GroupCall(lua_State* state) : GroupCall(state, context_of(state)) {}
  GroupCall(lua_State* state, GroupContext& context) : ViewCall(state, context.view_object()), d(context) {}
  GroupContext& d;
};

/// Returns the list, plan or set at the stack index; raises an error if it is none, or of an earlier hook.
Candidates& check_list(lua_State* L, GroupContext& d, int index);
GroupPlan& check_plan(lua_State* L, GroupContext& d, int index);
std::vector<std::size_t>& check_set(lua_State* L, GroupContext& d, int index);

/// What a method of a list, of a plan, of a set of plans works on.
struct ListCall : GroupCall {
  explicit ListCall(lua_State* state) : GroupCall(state), list(check_list(state, d, 1)) {}
  const Candidates& list;
};
struct PlanCall : GroupCall {
  explicit PlanCall(lua_State* state) : GroupCall(state), plan(check_plan(state, d, 1)) {}
  const GroupPlan& plan;
};
struct SetCall : GroupCall {
  explicit SetCall(lua_State* state) : GroupCall(state), set(check_set(state, d, 1)) {}
  const std::vector<std::size_t>& set;
};

/// What methods give: lists, plans, sets of plans that the context has already, or of new ones, and one of these plans.
struct List {
  void push(lua_State* L, const GroupCall& call);
  Candidates candidates;
};
struct Plan {
  void push(lua_State* L, const GroupCall& call);
  GroupPlan plan;
};
struct PlanSet {
  void push(lua_State* L, const GroupCall& call);
  std::vector<std::size_t> plans;
};
struct Plans {
  void push(lua_State* L, const GroupCall& call);
  std::vector<GroupPlan> plans;
};
struct KnownPlan {
  void push(lua_State* L, const GroupCall& call) const;
  std::size_t index;
};

/// The candidate that a job, waiting or running, would be.
struct JobCandidate : Candidate {
  JobCandidate(lua_State* L, const GroupCall& call, int index);
};
/// A list that is an argument.
struct ListArgument {
  ListArgument(lua_State* L, const GroupCall& call, int index) : list(check_list(L, call.d, index)) {}
  const Candidates& list;
};

/// Returns the options table at the stack index.
Tolerance tolerance_option(lua_State* L, int table, const char* of);
FairnessOptions fairness_option(lua_State* L, int table, const char* of);
/// Makes a type known with methods that reach the context. `index`, if it is given, is called for fields, with the
/// methods as its second upvalue; `length` for the operator #.
void build_type(lua_State* L, GroupContext& context, const char* type, std::initializer_list<luaL_Reg> methods,
                lua_CFunction index, lua_CFunction length);
/// Adds methods that reach the context to the table on the top of the stack.
void set_methods(lua_State* L, std::initializer_list<luaL_Reg> methods, GroupContext& context);
/// Makes the type of sets of groups known.
void build_groups_metatable(lua_State* L, GroupContext& context);
/// Makes the type of lists of candidates known.
void build_candidates_metatable(lua_State* L, GroupContext& context);

}  // namespace coslice::groups

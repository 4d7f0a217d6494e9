// Candidates and groups as a policy sees them (lua/meta/groups.lua). They live as long as the hook in which they were
// made: Lua holds only their numbers.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "jobs/slowdown.h"
#include "sharing/fairness.h"
#include "sharing/group_search.h"
#include "sharing/prospects.h"
#include "sharing/reserved_steps.h"

struct lua_State;

namespace coslice {

class ViewObject;

/// The state behind the groups of one view's policy: searches, and the lists and plans that its handles refer to.
class GroupContext {
  ExchangedSlowdowns exchanged_;  // the search refers to it

 public:
  /// `slowdowns` and `view` outlive it. The slowdowns are those of processes across processors, whatever the layout.
  GroupContext(const SlowdownModel& slowdowns, const NodeShape& shape, ViewObject& view)
      : exchanged_(slowdowns), search(shape.layout == Layout::kAcross ? slowdowns : exchanged_, shape), view_(view) {}

  /// Forgets the lists and plans of the last hook.
  void clear();
  std::uint64_t number() const { return number_; }
  ViewObject& view_object() const { return view_; }

  GroupSearch search;
  Fairness fairness;
  ReservedSteps reserved;
  Prospects prospects{search, reserved};
  std::deque<Candidates> lists;
  std::deque<GroupPlan> plans;
  std::deque<std::vector<std::size_t>> sets;  ///< of plans

 private:
  ViewObject& view_;
  /// No two contexts have the same number: one does not accept what another has made.
  static std::uint64_t next_number();
  std::uint64_t number_ = next_number();  ///< of the hook
};

/// Makes the types known to the state; the methods reach the context.
void build_group_metatables(lua_State* L, GroupContext& context);
/// Adds the view's methods for groups to the table on the top of the stack.
void add_group_methods(lua_State* L, GroupContext& context);
/// Adds the view's methods for pairs of jobs.
void add_pair_methods(lua_State* L, GroupContext& context);
/// Adds the view's methods for walks along a long queue in which most jobs can neither start nor be in a group.
void add_prospect_methods(lua_State* L, GroupContext& context);

}  // namespace coslice

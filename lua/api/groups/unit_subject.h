// What the methods of coslice.Units work on. For .cpp files; sees Lua's headers.
#pragma once

#include <lua.hpp>
#include <string>

#include "api/groups/units_object.h"
#include "api/view/view_object.h"
#include "host/bind.h"
#include "jobs/job_demands.h"

namespace coslice {

/// The units that a method was called for, and their view. Raises a Lua error outside of the hook.
struct UnitSubject {
  explicit UnitSubject(lua_State* L);
  UnitLedger::Of of;
  ViewObject& object;
  View& view;
  UnitLedgers::Kept& kept;

  UnitLedger& ledger() const { return kept.ledger; }
  /// Returns the job at the stack index.
  UnitLedger::Tenant& tenant(lua_State* L, int index = 2) const {
    return kept.ledger.tenant(object.jobs().index_of(L, index));
  }
  /// Returns the waiting job at the stack index; raises a Lua error if it does not wait.
  UnitLedger::Tenant& waiting(lua_State* L, int index = 2) const {
    object.waiting_position(L, index);
    return tenant(L, index);
  }
  const std::string& kind(std::int32_t k) const {
    return view.demands()->layout().kinds[static_cast<std::size_t>(k)].name;
  }
  void push_kind(lua_State* L, std::int32_t k) const {
    if (k < 0) lua_pushnil(L);
    else lua_pushlstring(L, kind(k).data(), kind(k).size());
  }
  /// Pushes the job's table, or nil if there is none.
  void push_job(lua_State* L, const UnitLedger::Tenant* t) const {
    if (t == nullptr) lua_pushnil(L);
    else object.jobs().push(L, t->job);
  }
  /// Returns the reason at the stack index, a text or a function of what stands behind it that returns one; "" if no
  /// observer of the run hears it.
  std::string reason(lua_State* L, int index) const;
};

/// Returns the order to stop a job for a plan: the stack index has what it costs to go on, s.
StopOrder stop_order(lua_State* L, int index);

/// Adds the methods about what jobs are to have to the table on the top of the stack.
void add_unit_plan_methods(lua_State* L);
/// Adds the methods about divided GPUs to the table on the top of the stack.
void add_gpu_instance_methods(lua_State* L);

}  // namespace coslice

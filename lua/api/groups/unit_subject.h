// What the methods of coslice.Units work on. For .cpp files; sees Lua's headers.
#pragma once

#include <string>
#include <string_view>

#include "api/groups/units_object.h"
#include "api/view/view_call.h"
#include "jobs/job_demands.h"

namespace coslice {

/// The name of a kind of nodes; nothing if it is none.
using KindName = std::optional<std::string_view>;

/// The units that a method was called for, and their view. Raises a Lua error outside of the hook.
struct UnitSubject : ViewCall {
  explicit UnitSubject(lua_State* state);
  UnitLedger::Of of;
  UnitLedgers::Kept& kept;

  UnitLedger& ledger() const { return kept.ledger; }
  const std::string& kind(std::int32_t k) const {
    return view.demands()->layout().kinds[static_cast<std::size_t>(k)].name;
  }
  KindName kind_name(std::int32_t k) const { return k < 0 ? KindName() : KindName(kind(k)); }
  /// Returns the reason at the stack index, a text or a function of what stands behind it that returns one; "" if no
  /// observer of the run hears it.
  std::string reason(int index) const;
  /// Returns the order to stop a job for a plan: the stack index has what it costs to go on, s.
  StopOrder stop_order(int index) const;
};

/// What is known of a job, as an argument.
struct TenantJob {
  TenantJob(lua_State* L, const UnitSubject& s, int index) : t(s.ledger().tenant(AnyJob(L, s, index))) {}
  UnitLedger::Tenant& t;
};
/// The same of a job that waits; raises a Lua error if it does not.
struct WaitingTenant {
  WaitingTenant(lua_State* L, const UnitSubject& s, int index)
      : t((s.object.waiting_position(L, index), s.ledger().tenant(AnyJob(L, s, index)))) {}
  UnitLedger::Tenant& t;
};
/// A job that is given back, or none.
struct AnyTenant : AnyJob {
  AnyTenant(const UnitLedger::Tenant* t) : AnyJob(t == nullptr ? kNoJob : t->job) {}
};

/// Adds the methods about what jobs are to have to the table on the top of the stack.
void add_unit_plan_methods(lua_State* L);
/// Adds the methods about divided GPUs to the table on the top of the stack.
void add_gpu_instance_methods(lua_State* L);

}  // namespace coslice

// Methods of coslice.Units about what running and waiting jobs are to have (sharing/unit_plan.h).
#include <lua.hpp>

#include "api/groups/unit_subject.h"
#include "api/scripts/options.h"
#include "core/time.h"
#include "host/guard.h"

namespace coslice {

StopOrder stop_order(lua_State* L, int index) {
  const double restart = luaL_checknumber(L, index);
  if (!(restart >= 0 && restart <= kMaxSeconds)) luaL_argerror(L, index, "not a span of time");
  StopOrder order;
  order.how = StopOrder::How::kCheckpoint;
  order.checkpoint.restart = from_seconds(restart);
  return order;
}

std::string UnitSubject::reason(lua_State* L, int index) const {
  if (!view.explained() || lua_isnoneornil(L, index)) return {};
  if (lua_isfunction(L, index)) {
    lua_call(L, lua_gettop(L) - index, 1);
    if (lua_type(L, -1) != LUA_TSTRING) luaL_argerror(L, index, "the function must return a text");
  }
  std::size_t length = 0;
  const char* const text = luaL_checklstring(L, index, &length);
  return {text, length};
}

namespace unit_plan_methods {

namespace {

struct Deciding : UnitSubject {
  explicit Deciding(lua_State* L) : UnitSubject(L) { object.check_decides(L); }
  UnitPlan& plan() const { return kept.plan; }
};

/// units:changed() -> boolean
int changed(lua_State* L) { return luahost::answer(L, UnitSubject(L).kept.plan.changed()); }

/// units:plan({ running, rank })
int plan(lua_State* L) {
  const Deciding d(L);
  lua_settop(L, 3);
  UnitPlan::Order order;
  options::read(L, 2, "units:plan", {"running", "rank"}, [&](const options::Option& o) {
    if (o.is("running")) {
      order.running_first = o.choice({"ranked", "first"}) == 1;
      return;
    }
    if (!lua_isfunction(L, -1)) o.fail("a function of a running job");
    lua_pushvalue(L, -1);
    lua_replace(L, 3);
  });
  if (!lua_isnil(L, 3)) {
    order.rank = [&](UnitLedger::Tenant& t) {
      lua_pushvalue(L, 3);
      d.push_job(L, &t);
      lua_pushnumber(L, d.ledger().served(t));
      lua_call(L, 2, 1);
      const double rank = lua_tonumber(L, -1);
      if (lua_type(L, -1) != LUA_TNUMBER || rank != rank)
        luaL_error(L, "option 'rank' of units:plan: the function must return a number");
      lua_pop(L, 1);
      return rank;
    };
  }
  luahost::charge(L, std::ssize(d.ledger().running()));
  d.plan().begin(order);
  return 0;
}

/// units:next() -> Job?
int next_planned(lua_State* L) {
  const Deciding d(L);
  luahost::charge(L, 8);
  d.push_job(L, d.plan().next());
  return 1;
}

/// units:give_fastest() -> Job?
int give_fastest(lua_State* L) {
  const Deciding d(L);
  luahost::charge(L, static_cast<std::int64_t>(d.ledger().running().size() + d.view.queue().size()) / 8);
  d.push_job(L, d.plan().give_fastest());
  return 1;
}

/// units:fastest_left(job) -> string?
int fastest_left(lua_State* L) {
  const UnitSubject s(L);
  s.push_kind(L, s.kept.plan.fastest(s.tenant(L)));
  return 1;
}

/// units:give(job, kind)
int give(lua_State* L) {
  const Deciding d(L);
  UnitLedger::Tenant& t = d.tenant(L);
  const char* const name = luaL_checkstring(L, 3);
  for (const std::int32_t k : t.prefers) {
    if (d.kind(k) != name) continue;
    if (d.plan().left(k) < t.units)
      return luaL_error(L, "units:give: of the %d units of '%s' that job %I asks for %d are left",
                        static_cast<int>(t.units), name, static_cast<LUAI_UACINT>(t.id),
                        static_cast<int>(d.plan().left(k)));
    d.plan().give(t, k);
    return 0;
  }
  return luaL_error(L, "units:give: job %I cannot have what it asks for on '%s'", static_cast<LUAI_UACINT>(t.id), name);
}

/// units:best_host(job): a job, the sum of both speeds, that of a better one that another job joins.
int best_host(lua_State* L) {
  const Deciding d(L);
  luahost::charge(L, 16);
  const UnitPlan::Host host = d.plan().best_host(d.tenant(L));
  if (host.job == nullptr) return 0;
  d.push_job(L, host.job);
  lua_pushnumber(L, host.sum);
  if (!host.taken) return 2;
  lua_pushnumber(L, *host.taken);
  return 3;
}

/// units:give_beside(job, host, reason, ...)
int give_beside(lua_State* L) {
  const Deciding d(L);
  UnitLedger::Tenant& t = d.tenant(L);
  UnitLedger::Tenant& host = d.tenant(L, 3);
  if (!d.plan().is_alone(host))
    return luaL_error(L, "units:give_beside: job %I is not to have units for itself",
                      static_cast<LUAI_UACINT>(host.id));
  d.plan().give_beside(t, host, d.reason(L, 4));
  return 0;
}

/// units:carry_out(restart): whether jobs were stopped.
int carry_out(lua_State* L) {
  const Deciding d(L);
  luahost::charge(L, std::ssize(d.ledger().running()) / 8);
  d.plan().carry_out(stop_order(L, 2));
  if (d.plan().moving()) d.object.jobs_ended();
  return luahost::answer(L, d.plan().moving());
}

/// units:resume()
int resume(lua_State* L) {
  Deciding(L).plan().resume();
  return 0;
}

/// units:stop_widowed(restart)
int stop_widowed(lua_State* L) {
  const Deciding d(L);
  d.plan().stop_widowed(stop_order(L, 2));
  d.object.jobs_ended();
  return 0;
}

}  // namespace

}  // namespace unit_plan_methods

void add_unit_plan_methods(lua_State* L) {
  using luahost::guarded;
  using namespace unit_plan_methods;
  const luaL_Reg methods[] = {{"changed", guarded<changed>},           {"plan", guarded<plan>},
                              {"next", guarded<next_planned>},         {"give_fastest", guarded<give_fastest>},
                              {"fastest_left", guarded<fastest_left>}, {"give", guarded<give>},
                              {"best_host", guarded<best_host>},       {"give_beside", guarded<give_beside>},
                              {"carry_out", guarded<carry_out>},       {"resume", guarded<resume>},
                              {"stop_widowed", guarded<stop_widowed>}, {nullptr, nullptr}};
  luaL_setfuncs(L, methods, 0);
}

}  // namespace coslice

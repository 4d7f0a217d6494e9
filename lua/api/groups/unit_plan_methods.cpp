// Methods of coslice.Units about what running and waiting jobs are to have (sharing/unit_plan.h).
#include "api/groups/unit_subject.h"
#include "api/scripts/options.h"
#include "core/time.h"
#include "host/acting.h"

namespace coslice {

StopOrder UnitSubject::stop_order(int index) const {
  const double restart = luaL_checknumber(L, index);
  if (!(restart >= 0 && restart <= kMaxSeconds)) luaL_argerror(L, index, "not a span of time");
  StopOrder order;
  order.how = StopOrder::How::kCheckpoint;
  order.checkpoint.restart = from_seconds(restart);
  return order;
}

std::string UnitSubject::reason(int index) const {
  if (!view.explained() || lua_isnoneornil(L, index)) return {};
  if (lua_isfunction(L, index)) {
    lua_call(L, lua_gettop(L) - index, 1);
    if (lua_type(L, -1) != LUA_TSTRING) luaL_argerror(L, index, "the function must return a text");
  }
  return luahost::argument<std::string>(L, *this, index);
}

namespace unit_plan_methods {

namespace {

struct Deciding : UnitSubject {
  explicit Deciding(lua_State* state) : UnitSubject(state) { object.check_decides(state); }
  UnitPlan& plan() const { return kept.plan; }
};

/// units:changed() -> boolean
bool changed(const UnitSubject& s) { return s.kept.plan.changed(); }

/// units:plan({ running, rank })
void plan(const Deciding& d) {
  lua_State* const L = d.L;
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
      const AskingOnly asking(d.object, d.view);
      lua_pushvalue(L, 3);
      luahost::push(L, AnyTenant(&t), d);
      lua_pushnumber(L, d.ledger().served(t));
      lua_call(L, 2, 1);
      const double rank = lua_tonumber(L, -1);
      if (lua_type(L, -1) != LUA_TNUMBER || rank != rank)
        luahost::raise(L, "option 'rank' of units:plan: the function must return a number");
      lua_pop(L, 1);
      return rank;
    };
  }
  d.charge(std::ssize(d.ledger().running()));
  d.plan().begin(order);
}

/// units:next() -> Job?
AnyTenant next_planned(const Deciding& d) {
  d.charge(8);
  return d.plan().next();
}

/// units:give_fastest() -> Job?
AnyTenant give_fastest(const Deciding& d) {
  d.charge(static_cast<std::int64_t>(d.ledger().running().size() + d.queue().size()) / 8);
  return d.plan().give_fastest();
}

/// units:fastest_left(job) -> string?
KindName fastest_left(const UnitSubject& s, TenantJob job) { return s.kind_name(s.kept.plan.fastest(job.t)); }

/// units:give(job, kind)
void give(const Deciding& d, TenantJob job, std::string_view name) {
  for (const std::int32_t k : job.t.prefers) {
    if (d.kind(k) != name) continue;
    if (d.plan().left(k) < job.t.units)
      luahost::raise(d.L, "units:give: of the {} units of '{}' that job {} asks for {} are left", job.t.units, name,
                     job.t.id, d.plan().left(k));
    return d.plan().give(job.t, k);
  }
  luahost::raise(d.L, "units:give: job {} cannot have what it asks for on '{}'", job.t.id, name);
}

/// units:best_host(job): a job, the sum of both speeds, that of a better one that another job joins.
std::optional<std::tuple<AnyTenant, double, std::optional<double>>> best_host(const Deciding& d, TenantJob job) {
  d.charge(16);
  const UnitPlan::Host host = d.plan().best_host(job.t);
  if (host.job == nullptr) return {};
  return {{host.job, host.sum, host.taken}};
}

/// units:give_beside(job, host, reason, ...)
void give_beside(const Deciding& d, TenantJob job, TenantJob host) {
  if (!d.plan().is_alone(host.t))
    luahost::raise(d.L, "units:give_beside: job {} is not to have units for itself", host.t.id);
  d.plan().give_beside(job.t, host.t, d.reason(4));
}

/// units:carry_out(restart): whether jobs were stopped.
bool carry_out(const Deciding& d) {
  d.charge(std::ssize(d.ledger().running()) / 8);
  d.plan().carry_out(d.stop_order(2));
  if (d.plan().moving()) d.object.jobs_ended();
  return d.plan().moving();
}

/// units:resume()
void resume(const Deciding& d) { d.plan().resume(); }

/// units:stop_widowed(restart)
void stop_widowed(const Deciding& d) {
  d.plan().stop_widowed(d.stop_order(2));
  d.object.jobs_ended();
}

}  // namespace

}  // namespace unit_plan_methods

void add_unit_plan_methods(lua_State* L) {
  using luahost::acting;
  using luahost::bound;
  using namespace unit_plan_methods;
  luahost::set_functions(L, {{"changed", bound<changed>},
                             {"plan", bound<plan>},
                             {"next", bound<next_planned>},
                             {"give_fastest", bound<give_fastest>},
                             {"fastest_left", bound<fastest_left>},
                             {"give", bound<give>},
                             {"best_host", bound<best_host>},
                             {"give_beside", bound<give_beside>},
                             {"carry_out", acting<carry_out>},
                             {"resume", acting<resume>},
                             {"stop_widowed", acting<stop_widowed>}});
}

}  // namespace coslice

#include "api/groups/units_object.h"

#include <algorithm>
#include <span>

#include "api/groups/unit_subject.h"
#include "api/scripts/options.h"
#include "core/refusals.h"
#include "host/typed_userdata.h"

namespace coslice {

namespace unit_methods {

namespace {

const char kUnitsKey = 0;  ///< its address is that of the type's metatable in the registry, too

/// Most methods are about units that jobs have parts of.
struct Subject : UnitSubject {
  explicit Subject(lua_State* state) : UnitSubject(state) { check_directs(state, view, "view:units"); }
};

/// What is kept for the units; an error where the value is of a run before.
UnitLedgers::Kept& kept_of(lua_State* L, ViewObject& object, UnitLedger::Of of) {
  UnitLedgers::Kept* const kept = object.units().of(of);
  if (kept == nullptr) luahost::raise(L, "units are only valid in the run in which view:units gave them");
  return *kept;
}

ViewObject& object_of_view(lua_State* L) {
  lua_getiuservalue(L, 1, 1);
  ViewObject& object = view_object_at(L, -1);
  lua_pop(L, 1);
  return object;
}

/// units:free() -> integer
std::int64_t free_units(const Subject& s) { return s.ledger().all_free(); }

/// units:wanted() -> integer
std::int64_t wanted(const Subject& s) {
  s.charge(std::ssize(s.queue()));
  std::int64_t sum = 0;
  for (const UnitLedger::Tenant* t : waiting_tenants(s.ledger(), s.queue().size())) sum += t->units;
  return sum;
}

/// units:asked(job) -> integer
std::int64_t asked(const Subject&, TenantJob job) { return job.t.units; }

/// units:fastest(job) -> string?
KindName fastest(const Subject& s, WaitingTenant job) {
  s.charge(8);
  return s.kind_name(s.ledger().fastest_free(job.t));
}

/// units:fits_one(job) -> boolean
bool fits_one(const Subject&, TenantJob job) { return job.t.fits_one; }

/// units:running() -> integer
std::size_t running(const UnitSubject& s) { return s.ledger().running().size(); }

/// units:earliest(job) -> number?, integer?, string?
std::optional<std::tuple<double, std::int64_t, KindName>> earliest(const Subject& s, WaitingTenant job) {
  s.charge(std::ssize(s.ledger().running()));
  const std::optional<UnitSlot> slot = first_slot(job.t, s.ledger().free_later(), s.view.now());
  if (!slot) return {};
  return {{to_seconds(slot->start), slot->spare, s.kind_name(slot->kind)}};
}

/// units:expect()
void expect(const Subject& s) {
  s.charge(static_cast<std::int64_t>(s.queue().size() + s.ledger().running().size()));
  s.kept.groups.expect();
}

// --- groups

struct Search {
  UnitGroups::Rules rules;
  std::size_t most = std::numeric_limits<std::size_t>::max();
};

Search search_option(lua_State* L, int table, const char* of) {
  Search search;
  search.rules.depth = search.most;
  options::read(L, table, of, {"depth", "max_slowdown", "min_gain", "slack", "most"}, [&](const options::Option& o) {
    if (o.is("depth")) search.rules.depth = o.count();
    else if (o.is("max_slowdown")) search.rules.max_slowdown = o.number();
    else if (o.is("min_gain")) search.rules.min_gain = o.number();
    else if (o.is("slack")) search.rules.slack = o.number();
    else search.most = o.count();
  });
  return search;
}

/// What is found, the first ones.
struct FoundGroups {
  void push(lua_State* L, const Subject& s) const {
    luahost::push_list(L, std::span(found).first(std::min(found.size(), most)), [&](const UnitGroups::Group& group) {
      s.charge(16 + std::ssize(group.guests));
      push_group(L, s, group);
    });
  }
  static void push_group(lua_State* L, const Subject& s, const UnitGroups::Group& group) {
    const UnitLedger::WhatIf all = what_if(group);
    std::vector<double> kept, of_primary;
    for (const UnitGroups::Member& m : group.guests) {
      kept.push_back(m.kept);
      of_primary.push_back(m.of_primary);
    }
    const auto jobs = [](const std::vector<UnitLedger::Tenant*>& tenants) {
      return std::vector<AnyTenant>(tenants.begin(), tenants.end());
    };
    luahost::push_fields(L, "kept", kept, "of_primary", of_primary, "kind", s.kind_name(group.kind), "idle", group.idle,
                         "gain", group.gain);
    luahost::set_field(L, "primary", AnyTenant(group.primary), s);
    luahost::set_field(L, "guests", jobs(all.guests), s);
    luahost::set_field(L, "coming", jobs(all.coming), s);
  }
  const std::vector<UnitGroups::Group>& found;
  std::size_t most;
};

/// units:groups(rules) -> UnitGroup[]
FoundGroups groups(const Subject& s) {
  const Search search = search_option(s.L, 2, "units:groups");
  const std::size_t waiting = std::min(search.rules.depth, s.queue().size());
  s.charge(static_cast<std::int64_t>((waiting + 1) * (waiting + s.ledger().running().size())));
  return {s.kept.groups.search(search.rules), search.most};
}

/// units:faster_beside(job, rules) -> UnitGroup[]
FoundGroups faster_beside(const Subject& s, WaitingTenant head) {
  const Search search = search_option(s.L, 3, "units:faster_beside");
  s.charge(std::ssize(s.ledger().running()));
  return {s.kept.groups.search_faster(head.t, search.rules), search.most};
}

/// units:fair(i) -> boolean
bool fair(const Subject& s, lua_Integer i) {
  const std::vector<UnitGroups::Group>& found = s.kept.groups.found();
  if (i < 1 || i > std::ssize(found))
    luahost::raise(s.L,
                   "units:fair: there is no group {}: {} were found last, and none is kept when a job starts or ends",
                   i, found.size());
  s.charge(static_cast<std::int64_t>(s.ledger().running().size() + s.queue().size()));
  return s.kept.groups.fair(found[static_cast<std::size_t>(i) - 1]);
}

/// units.NAME = value: always an error.
int refuse_write(lua_State* L) { luahost::raise(L, "units cannot be written to"); }

void push_metatable(lua_State* L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &kUnitsKey) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  luahost::mark_type(L, &kUnitsKey, "coslice.Units");
  lua_newtable(L);
  using luahost::bound;
  luahost::set_functions(L, {{"free", bound<free_units>},
                             {"wanted", bound<wanted>},
                             {"asked", bound<asked>},
                             {"fastest", bound<fastest>},
                             {"fits_one", bound<fits_one>},
                             {"running", bound<running>},
                             {"earliest", bound<earliest>},
                             {"expect", bound<expect>},
                             {"groups", bound<groups>},
                             {"faster_beside", bound<faster_beside>},
                             {"fair", bound<fair>}});
  add_unit_plan_methods(L);
  add_gpu_instance_methods(L);
  lua_setfield(L, -2, "__index");
  luahost::set_functions(L, {{"__newindex", luahost::guarded<refuse_write>}});
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kUnitsKey);
}

/// Pushes the value for these units of the view at index 1, that of the last call if there is one. Upvalue: a list of
/// these.
void push_value(lua_State* L, UnitLedger::Of of) {
  const auto place = static_cast<lua_Integer>(of) + 1;
  if (lua_rawgeti(L, lua_upvalueindex(1), place) == LUA_TUSERDATA) {
    lua_getiuservalue(L, -1, 1);
    const bool same = lua_rawequal(L, -1, 1) != 0;
    lua_pop(L, 1);
    if (same) return;
  }
  *static_cast<UnitLedger::Of*>(lua_newuserdatauv(L, sizeof of, 1)) = of;
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  push_metatable(L);
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_rawseti(L, lua_upvalueindex(1), place);
}

/// view:units(of) -> Units
luahost::Pushed units(const ViewCall& call) {
  lua_State* const L = call.L;
  static const char* const names[] = {"gpus", "nodes", nullptr};
  const auto of = static_cast<UnitLedger::Of>(luaL_checkoption(L, 2, nullptr, names));
  call.charge(8);
  UnitLedgers::Kept* kept = call.object.units().of(of);
  if (kept == nullptr) {
    if (demands_of(L, call.view, "view:units").any_components()) {
      luaL_where(L, 1);
      throw RefusedError(lua_tostring(L, -1) + refusal_text(Feature::kUnits, Feature::kComponents));
    }
    kept = &call.object.units().make(call.view, of);
  }
  if (sliced_host(call.view) != nullptr) kept->ledger.look_again();
  push_value(L, of);
  return {};
}

}  // namespace

}  // namespace unit_methods

UnitSubject::UnitSubject(lua_State* state)
    : ViewCall(state, (luahost::check_type(state, 1, &unit_methods::kUnitsKey, "coslice.Units"),
                       unit_methods::object_of_view(state))),
      of(*static_cast<UnitLedger::Of*>(lua_touserdata(state, 1))), kept(unit_methods::kept_of(state, object, of)) {}

void add_units_method(lua_State* L) {
  lua_createtable(L, 2, 0);
  luahost::set_functions(L, {{"units", luahost::bound<unit_methods::units>}}, 1);
}

}  // namespace coslice

#include "api/groups/units_object.h"

#include <algorithm>
#include <lua.hpp>

#include "api/groups/unit_subject.h"
#include "api/scripts/options.h"
#include "api/view/view_methods.h"
#include "host/guard.h"
#include "host/typed_userdata.h"
#include "schedule/view.h"

namespace coslice {

namespace unit_methods {

namespace {

const char kUnitsKey = 0;  ///< its address is that of the type's metatable in the registry, too

/// Most methods are about units that jobs have parts of.
struct Subject : UnitSubject {
  explicit Subject(lua_State* L) : UnitSubject(L) { check_directs(L, view, "view:units"); }
};

/// What is kept for the units; an error where the value is of a run before.
UnitLedgers::Kept& kept_of(lua_State* L, ViewObject& object, UnitLedger::Of of) {
  UnitLedgers::Kept* const kept = object.units().of(of);
  if (kept == nullptr) luaL_error(L, "units are only valid in the run in which view:units gave them");
  return *kept;
}

ViewObject& object_of_view(lua_State* L) {
  lua_getiuservalue(L, 1, 1);
  ViewObject& object = view_object_at(L, -1);
  lua_pop(L, 1);
  return object;
}

/// units:free() -> integer
int free_units(lua_State* L) { return luahost::answer(L, Subject(L).ledger().all_free()); }

/// units:wanted() -> integer
int wanted(lua_State* L) {
  const Subject s(L);
  luahost::charge(L, std::ssize(s.view.queue()));
  lua_Integer sum = 0;
  for (const UnitLedger::Tenant* t : waiting_tenants(s.ledger(), s.view.queue().size())) sum += t->units;
  return luahost::answer(L, sum);
}

/// units:asked(job) -> integer
int asked(lua_State* L) {
  const Subject s(L);
  return luahost::answer(L, s.tenant(L).units);
}

/// units:fastest(job) -> string?
int fastest(lua_State* L) {
  const Subject s(L);
  luahost::charge(L, 8);
  s.push_kind(L, s.ledger().fastest_free(s.waiting(L)));
  return 1;
}

/// units:fits_one(job) -> boolean
int fits_one(lua_State* L) {
  const Subject s(L);
  return luahost::answer(L, s.tenant(L).fits_one);
}

/// units:running() -> integer
int running(lua_State* L) { return luahost::answer(L, UnitSubject(L).ledger().running().size()); }

/// units:earliest(job) -> number?, integer?, string?
int earliest(lua_State* L) {
  const Subject s(L);
  luahost::charge(L, std::ssize(s.ledger().running()));
  const std::optional<UnitSlot> slot = first_slot(s.waiting(L), s.ledger().releases(), to_seconds(s.view.now()));
  if (!slot) return 0;
  lua_pushnumber(L, slot->start);
  lua_pushinteger(L, slot->spare);
  s.push_kind(L, slot->kind);
  return 3;
}

/// units:expect()
int expect(lua_State* L) {
  const Subject s(L);
  luahost::charge(L, static_cast<std::int64_t>(s.view.queue().size() + s.ledger().running().size()));
  s.kept.groups.expect();
  return 0;
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

void push_group(lua_State* L, const Subject& s, const UnitGroups::Group& group) {
  const UnitLedger::WhatIf all = what_if(group);
  const auto push_jobs = [&](const std::vector<UnitLedger::Tenant*>& jobs, const char* name) {
    lua_createtable(L, static_cast<int>(jobs.size()), 0);
    for (std::size_t i = 0; i != jobs.size(); ++i) {
      s.object.jobs().push(L, jobs[i]->job);
      lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
    }
    lua_setfield(L, -2, name);
  };
  const auto push_parts = [&](double UnitGroups::Member::*part, const char* name) {
    lua_createtable(L, static_cast<int>(group.guests.size()), 0);
    for (std::size_t i = 0; i != group.guests.size(); ++i) {
      lua_pushnumber(L, group.guests[i].*part);
      lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
    }
    lua_setfield(L, -2, name);
  };
  lua_createtable(L, 0, 8);
  s.object.jobs().push(L, group.primary->job);
  lua_setfield(L, -2, "primary");
  push_jobs(all.guests, "guests");
  push_jobs(all.coming, "coming");
  push_parts(&UnitGroups::Member::kept, "kept");
  push_parts(&UnitGroups::Member::of_primary, "of_primary");
  s.push_kind(L, group.kind);
  lua_setfield(L, -2, "kind");
  lua_pushinteger(L, group.idle);
  lua_setfield(L, -2, "idle");
  lua_pushnumber(L, group.gain);
  lua_setfield(L, -2, "gain");
}

int push_groups(lua_State* L, const Subject& s, const std::vector<UnitGroups::Group>& found, std::size_t most) {
  const std::size_t n = std::min(found.size(), most);
  lua_createtable(L, static_cast<int>(n), 0);
  for (std::size_t i = 0; i != n; ++i) {
    luahost::charge(L, 16 + std::ssize(found[i].guests));
    push_group(L, s, found[i]);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  return 1;
}

/// units:groups(rules) -> UnitGroup[]
int groups(lua_State* L) {
  const Subject s(L);
  const Search search = search_option(L, 2, "units:groups");
  const std::size_t waiting = std::min(search.rules.depth, s.view.queue().size());
  luahost::charge(L, static_cast<std::int64_t>((waiting + 1) * (waiting + s.ledger().running().size())));
  return push_groups(L, s, s.kept.groups.search(search.rules), search.most);
}

/// units:faster_beside(job, rules) -> UnitGroup[]
int faster_beside(lua_State* L) {
  const Subject s(L);
  UnitLedger::Tenant& head = s.waiting(L);
  const Search search = search_option(L, 3, "units:faster_beside");
  luahost::charge(L, std::ssize(s.ledger().running()));
  return push_groups(L, s, s.kept.groups.search_faster(head, search.rules), search.most);
}

/// units:fair(i) -> boolean
int fair(lua_State* L) {
  const Subject s(L);
  const lua_Integer i = luaL_checkinteger(L, 2);
  const std::vector<UnitGroups::Group>& found = s.kept.groups.found();
  if (i < 1 || i > std::ssize(found))
    return luaL_error(
        L, "units:fair: there is no group %I: %d were found last, and none is kept when a job starts or ends",
        static_cast<LUAI_UACINT>(i), static_cast<int>(found.size()));
  luahost::charge(L, static_cast<std::int64_t>(s.ledger().running().size() + s.view.queue().size()));
  return luahost::answer(L, s.kept.groups.fair(found[static_cast<std::size_t>(i) - 1]));
}

/// units.NAME = value: always an error.
int refuse_write(lua_State* L) { return luaL_error(L, "units cannot be written to"); }

void push_metatable(lua_State* L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &kUnitsKey) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  luahost::mark_type(L, &kUnitsKey, "coslice.Units");
  using luahost::guarded;
  const luaL_Reg methods[] = {{"free", guarded<free_units>},   {"wanted", guarded<wanted>},
                              {"asked", guarded<asked>},       {"fastest", guarded<fastest>},
                              {"fits_one", guarded<fits_one>}, {"running", guarded<running>},
                              {"earliest", guarded<earliest>}, {"expect", guarded<expect>},
                              {"groups", guarded<groups>},     {"faster_beside", guarded<faster_beside>},
                              {"fair", guarded<fair>},         {nullptr, nullptr}};
  luaL_newlib(L, methods);
  add_unit_plan_methods(L);
  add_gpu_instance_methods(L);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, guarded<refuse_write>);
  lua_setfield(L, -2, "__newindex");
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
int units(lua_State* L) {
  ViewObject& object = view_object(L);
  View& view = object.view(L);
  static const char* const names[] = {"gpus", "nodes", nullptr};
  const auto of = static_cast<UnitLedger::Of>(luaL_checkoption(L, 2, nullptr, names));
  luahost::charge(L, 8);
  UnitLedgers::Kept* kept = object.units().of(of);
  if (kept == nullptr) {
    demands_of(L, view, "view:units");
    kept = &object.units().make(view, of);
  }
  if (sliced_host(view) != nullptr) kept->ledger.look_again();
  push_value(L, of);
  return 1;
}

}  // namespace

}  // namespace unit_methods

UnitSubject::UnitSubject(lua_State* L)
    : of(*static_cast<UnitLedger::Of*>(luahost::check_type(L, 1, &unit_methods::kUnitsKey, "coslice.Units"))),
      object(unit_methods::object_of_view(L)), view(object.view(L)), kept(unit_methods::kept_of(L, object, of)) {}

void add_units_method(lua_State* L) {
  lua_createtable(L, 2, 0);
  lua_pushcclosure(L, luahost::guarded<unit_methods::units>, 1);
  lua_setfield(L, -2, "units");
}

}  // namespace coslice

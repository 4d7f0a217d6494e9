// Methods of coslice.Units about GPUs that are divided into slices (sharing/gpu_instances.h).
#include <lua.hpp>

#include "api/groups/unit_subject.h"
#include "host/guard.h"

namespace coslice {

namespace gpu_instance_methods {

namespace {

struct Deciding : UnitSubject {
  explicit Deciding(lua_State* L) : UnitSubject(L) {
    object.check_decides(L);
    if (of != UnitLedger::Of::kGpus) luaL_error(L, "only GPUs can be divided: view:units(\"gpus\")");
  }
  GpuInstances& slices() const { return kept.slices; }
};

/// Asks the function at the stack index: divide(mix, kind) gives the parts of each job's slice, or nil.
GpuInstances::Divide asks(lua_State* L, const UnitSubject& s, int function) {
  luaL_checktype(L, function, LUA_TFUNCTION);
  return [L, &s, function](std::int32_t kind,
                           const std::vector<std::vector<double>>& speeds) -> std::optional<std::vector<std::int32_t>> {
    luaL_checkstack(L, 8, "units");
    lua_pushvalue(L, function);
    lua_createtable(L, static_cast<int>(speeds.size()), 0);
    for (std::size_t i = 0; i != speeds.size(); ++i) {
      lua_newtable(L);
      for (std::size_t parts = 1; parts <= speeds[i].size(); ++parts) {
        if (!(speeds[i][parts - 1] > 0)) continue;
        lua_pushnumber(L, speeds[i][parts - 1]);
        lua_rawseti(L, -2, static_cast<lua_Integer>(parts));
      }
      lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
    }
    s.push_kind(L, kind);
    lua_call(L, 2, 1);
    if (lua_isnil(L, -1)) {
      lua_pop(L, 1);
      return std::nullopt;
    }
    if (!lua_istable(L, -1)) luaL_error(L, "the function that divides GPUs must return a list of slices, or nil");
    std::vector<std::int32_t> slices;
    for (std::size_t i = 0; i != speeds.size(); ++i) {
      lua_rawgeti(L, -1, static_cast<lua_Integer>(i) + 1);
      const lua_Integer parts = lua_tointeger(L, -1);
      if (parts < 1 || parts > std::ssize(speeds[i]) || !(speeds[i][static_cast<std::size_t>(parts - 1)] > 0))
        luaL_error(L, "the function that divides GPUs must return a slice for each job, on which it runs");
      slices.push_back(static_cast<std::int32_t>(parts));
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return slices;
  };
}

GpuInstances::Unit& unit_at(lua_State* L, const Deciding& d, int index) {
  const lua_Integer number = luaL_checkinteger(L, index);
  GpuInstances::Unit* const unit = d.slices().find(static_cast<std::uint64_t>(number));
  if (unit == nullptr) luaL_error(L, "GPU %I is not divided now", static_cast<LUAI_UACINT>(number));
  return *unit;
}

/// units:give_free(after)
int give_free(lua_State* L) {
  const Deciding d(L);
  luahost::charge(L, std::ssize(d.view.queue()) / 8);
  d.push_job(L, d.slices().give_free(lua_isnoneornil(L, 2) ? nullptr : &d.waiting(L)));
  return 1;
}

/// units:best_gpu(job, divide, keep): its number, and by how much the sum of speeds grows.
int best_gpu(lua_State* L) {
  const Deciding d(L);
  UnitLedger::Tenant& t = d.waiting(L);
  lua_settop(L, 4);
  luahost::charge(L, std::ssize(d.ledger().running()) / 8);
  const GpuInstances::Choice choice = d.slices().best(t, lua_toboolean(L, 4) != 0, asks(L, d, 3));
  if (choice.unit == nullptr) return 0;
  lua_pushinteger(L, static_cast<lua_Integer>(choice.unit->number));
  lua_pushnumber(L, choice.gain);
  return 2;
}

/// What a reason is told of a division: the slices, and the sum of speeds with and without it.
void push_division(lua_State* L, const GpuInstances::Division& division, double before) {
  lua_createtable(L, static_cast<int>(division.slices.size()), 0);
  for (std::size_t i = 0; i != division.slices.size(); ++i) {
    lua_pushinteger(L, division.slices[i]);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  lua_pushnumber(L, division.sum);
  lua_pushnumber(L, before);
}

/// units:divide(gpu, divide, job, keep, reason)
int divide(lua_State* L) {
  const Deciding d(L);
  GpuInstances::Unit& unit = unit_at(L, d, 2);
  lua_settop(L, 6);
  UnitLedger::Tenant* const guest = lua_isnil(L, 4) ? nullptr : &d.waiting(L, 4);
  const GpuInstances::Division* const division =
      d.slices().best_with(unit, guest, lua_toboolean(L, 5) != 0, asks(L, d, 3));
  if (division == nullptr) return luaL_error(L, "units:divide: there is no division for these jobs");
  if (d.view.explained()) push_division(L, *division, unit.sum);
  d.slices().divide(unit, *division, guest, d.reason(L, 6));
  return 0;
}

/// units:next_left_over() -> integer?
int next_left_over(lua_State* L) {
  const GpuInstances::Unit* const unit = Deciding(L).slices().next_left_over();
  if (unit == nullptr) return 0;
  return luahost::answer(L, unit->number);
}

/// units:saved(gpu, divide, restart)
int saved(lua_State* L) {
  const Deciding d(L);
  const GpuInstances::Unit& unit = unit_at(L, d, 2);
  const double restart = luaL_checknumber(L, 4);
  luahost::charge(L, std::ssize(unit.jobs) * 8);
  const GpuInstances::Division* const division = d.slices().best_with(unit, nullptr, false, asks(L, d, 3));
  return luahost::answer(L, division == nullptr ? 0 : d.slices().saved(unit, *division, restart));
}

/// units:carry_out_slices(restart): whether some found no room.
int carry_out_slices(lua_State* L) {
  const Deciding d(L);
  const GpuInstances::Outcome outcome = d.slices().carry_out(stop_order(L, 2));
  if (outcome == GpuInstances::Outcome::kMoving) d.object.jobs_ended();
  return luahost::answer(L, outcome == GpuInstances::Outcome::kNoRoom);
}

/// units:resume_slices()
int resume_slices(lua_State* L) {
  Deciding(L).slices().resume();
  return 0;
}

}  // namespace

}  // namespace gpu_instance_methods

void add_gpu_instance_methods(lua_State* L) {
  using luahost::guarded;
  using namespace gpu_instance_methods;
  const luaL_Reg methods[] = {{"give_free", guarded<give_free>},
                              {"best_gpu", guarded<best_gpu>},
                              {"divide", guarded<divide>},
                              {"next_left_over", guarded<next_left_over>},
                              {"saved", guarded<saved>},
                              {"carry_out_slices", guarded<carry_out_slices>},
                              {"resume_slices", guarded<resume_slices>},
                              {nullptr, nullptr}};
  luaL_setfuncs(L, methods, 0);
}

}  // namespace coslice

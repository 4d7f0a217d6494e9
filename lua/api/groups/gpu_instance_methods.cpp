// Methods of coslice.Units about GPUs that are divided into slices (sharing/gpu_instances.h).
#include "api/groups/unit_subject.h"
#include "host/acting.h"

namespace coslice {

namespace gpu_instance_methods {

namespace {

struct Deciding : UnitSubject {
  explicit Deciding(lua_State* state) : UnitSubject(state) {
    object.check_decides(state);
    if (of != UnitLedger::Of::kGpus) luahost::raise(state, "only GPUs can be divided: view:units(\"gpus\")");
  }
  GpuInstances& slices() const { return kept.slices; }
};

/// Asks the function at the stack index: divide(mix, kind) gives the parts of each job's slice, or nil.
GpuInstances::Divide asks(lua_State* L, const UnitSubject& s, int function) {
  luaL_checktype(L, function, LUA_TFUNCTION);
  return [L, &s, function](std::int32_t kind,
                           const std::vector<std::vector<double>>& speeds) -> std::optional<std::vector<std::int32_t>> {
    const AskingOnly asking(s.object, s.view);
    luaL_checkstack(L, 8, "units");
    lua_pushvalue(L, function);
    luahost::push_list(L, speeds, [&](const std::vector<double>& of_job) {
      lua_newtable(L);
      for (std::size_t parts = 1; parts <= of_job.size(); ++parts) {
        if (!(of_job[parts - 1] > 0)) continue;
        lua_pushnumber(L, of_job[parts - 1]);
        lua_rawseti(L, -2, static_cast<lua_Integer>(parts));
      }
    });
    luahost::push(L, s.kind_name(kind));
    lua_call(L, 2, 1);
    if (lua_isnil(L, -1)) {
      lua_pop(L, 1);
      return std::nullopt;
    }
    if (!lua_istable(L, -1)) luahost::raise(L, "the function that divides GPUs must return a list of slices, or nil");
    std::vector<std::int32_t> slices;
    for (std::size_t i = 0; i != speeds.size(); ++i) {
      lua_rawgeti(L, -1, static_cast<lua_Integer>(i) + 1);
      const lua_Integer parts = lua_tointeger(L, -1);
      if (parts < 1 || parts > std::ssize(speeds[i]) || !(speeds[i][static_cast<std::size_t>(parts - 1)] > 0))
        luahost::raise(L, "the function that divides GPUs must return a slice for each job, on which it runs");
      slices.push_back(static_cast<std::int32_t>(parts));
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return slices;
  };
}

/// A divided GPU, by its number.
struct DividedGpu {
  DividedGpu(lua_State* L, const Deciding& d, int index) {
    const lua_Integer number = luaL_checkinteger(L, index);
    unit = d.slices().find(static_cast<std::uint64_t>(number));
    if (unit == nullptr) luahost::raise(L, "GPU {} is not divided now", number);
  }
  GpuInstances::Unit* unit;
};

/// units:give_free(after)
AnyTenant give_free(const Deciding& d, std::optional<WaitingTenant> after) {
  d.charge(std::ssize(d.queue()) / 8);
  return d.slices().give_free(after ? &after->t : nullptr);
}

/// units:best_gpu(job, divide, keep): its number, and by how much the sum of speeds grows.
std::optional<std::tuple<std::uint64_t, double>> best_gpu(const Deciding& d, WaitingTenant job) {
  lua_settop(d.L, 4);
  d.charge(std::ssize(d.ledger().running()) / 8);
  const GpuInstances::Choice choice = d.slices().best(job.t, lua_toboolean(d.L, 4) != 0, asks(d.L, d, 3));
  if (choice.unit == nullptr) return {};
  return {{choice.unit->number, choice.gain}};
}

/// units:divide(gpu, divide, job, keep, reason)
void divide(const Deciding& d, DividedGpu gpu) {
  lua_State* const L = d.L;
  lua_settop(L, 6);
  UnitLedger::Tenant* const guest = lua_isnil(L, 4) ? nullptr : &WaitingTenant(L, d, 4).t;
  const GpuInstances::Division* const division =
      d.slices().best_with(*gpu.unit, guest, lua_toboolean(L, 5) != 0, asks(L, d, 3));
  if (division == nullptr) luahost::raise(L, "units:divide: there is no division for these jobs");
  if (d.view.explained()) {  // a reason is told the slices, and the sum of speeds with and without the division
    luahost::push(L, division->slices);
    luahost::push(L, division->sum);
    luahost::push(L, gpu.unit->sum);
  }
  d.slices().divide(*gpu.unit, *division, guest, d.reason(6));
}

/// units:next_left_over() -> integer?
std::optional<std::uint64_t> next_left_over(const Deciding& d) {
  const GpuInstances::Unit* const unit = d.slices().next_left_over();
  return unit == nullptr ? std::nullopt : std::optional(unit->number);
}

/// units:saved(gpu, divide, restart)
double saved(const Deciding& d, DividedGpu gpu) {
  const double restart = luaL_checknumber(d.L, 4);
  d.charge(std::ssize(gpu.unit->jobs) * 8);
  const GpuInstances::Division* const division = d.slices().best_with(*gpu.unit, nullptr, false, asks(d.L, d, 3));
  return division == nullptr ? 0 : d.slices().saved(*gpu.unit, *division, restart);
}

/// units:carry_out_slices(restart): whether some found no room.
bool carry_out_slices(const Deciding& d) {
  const GpuInstances::Outcome outcome = d.slices().carry_out(d.stop_order(2));
  if (outcome == GpuInstances::Outcome::kMoving) d.object.jobs_ended();
  return outcome == GpuInstances::Outcome::kNoRoom;
}

/// units:resume_slices()
void resume_slices(const Deciding& d) { d.slices().resume(); }

}  // namespace

}  // namespace gpu_instance_methods

void add_gpu_instance_methods(lua_State* L) {
  using luahost::acting;
  using luahost::bound;
  using namespace gpu_instance_methods;
  luahost::set_functions(L, {{"give_free", bound<give_free>},
                             {"best_gpu", bound<best_gpu>},
                             {"divide", bound<divide>},
                             {"next_left_over", bound<next_left_over>},
                             {"saved", bound<saved>},
                             {"carry_out_slices", acting<carry_out_slices>},
                             {"resume_slices", acting<resume_slices>}});
}

}  // namespace coslice

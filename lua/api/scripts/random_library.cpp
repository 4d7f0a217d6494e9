#include "api/scripts/random_library.h"

#include "host/bind.h"
#include "host/readonly.h"
#include "host/script.h"
#include "host/state.h"

namespace coslice {
namespace {

RandomStream& stream(lua_State* L) { return *static_cast<RandomStream*>(lua_touserdata(L, lua_upvalueindex(1))); }

double positive(lua_State* L, int arg) {
  const double x = luaL_checknumber(L, arg);
  if (!(x > 0) || x > 1e300) luaL_argerror(L, arg, "must be above 0");
  return x;
}

/// random.uniform(low?, high?) -> number
int uniform(lua_State* L) {
  const double low = luaL_optnumber(L, 1, 0);
  const double high = luaL_optnumber(L, 2, 1);
  if (!(low <= high)) return luaL_argerror(L, 2, "must not be below the first");
  return luahost::answer(L, stream(L).uniform(low, high));
}

/// random.exponential(mean) -> number
int exponential(lua_State* L) { return luahost::answer(L, stream(L).exponential(positive(L, 1))); }

/// random.normal(mean, deviation) -> number
int normal(lua_State* L) {
  return luahost::answer(L, stream(L).normal(luaL_checknumber(L, 1), luaL_checknumber(L, 2)));
}

/// random.lognormal(mu, sigma) -> number
int lognormal(lua_State* L) {
  return luahost::answer(L, stream(L).lognormal(luaL_checknumber(L, 1), luaL_checknumber(L, 2)));
}

/// random.gamma(shape, scale) -> number
int gamma(lua_State* L) {
  const double shape = positive(L, 1);
  return luahost::answer(L, stream(L).gamma(shape, positive(L, 2)));
}

}  // namespace

RandomLibrary::RandomLibrary(LuaState& state, std::uint64_t seed, std::string_view purpose)
    : stream_(std::make_unique<RandomStream>(seed, purpose)) {
  RandomStream* stream = stream_.get();
  state.set_random([stream] { return (*stream)(); });
  table_ = state.make([&](lua_State* L) {
    lua_createtable(L, 0, 5);
    lua_pushlightuserdata(L, stream);
    luahost::set_functions(L,
                           {{"uniform", uniform},
                            {"exponential", exponential},
                            {"normal", normal},
                            {"lognormal", lognormal},
                            {"gamma", gamma}},
                           1);
    push_readonly(L, -1, "random");
  });
}

void RandomLibrary::install(LuaState& state, const LuaRef& environment) const {
  set_global(state, environment, "random", table_);
}

}  // namespace coslice

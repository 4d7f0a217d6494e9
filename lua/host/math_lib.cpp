// The math library: the C library's transcendental functions give other bits on other processors, so they are replaced
// or left out; random numbers come from the embedder's stream.
#include <cmath>

#include "core/portable_math.h"
#include "host/bind.h"
#include "host/core.h"
#include "host/power_operator.h"
#include "host/sandbox.h"

namespace coslice::luahost {
namespace {

int exp(lua_State* L) { return answer(L, portable_exp(luaL_checknumber(L, 1))); }

/// The quotient of two rounded logarithms misses whole results by a bit; powers of ten must come out whole.
double log_base(double x, double base) {
  if (base == 2.0) return portable_log2(x);
  const double quotient = portable_log(x) / portable_log(base);
  const double whole = std::floor(quotient + 0.5);
  return std::fabs(whole) < 64.0 && power(base, whole) == x ? whole : quotient;
}

int log(lua_State* L) {
  const double x = luaL_checknumber(L, 1);
  return answer(L, lua_isnoneornil(L, 2) ? portable_log(x) : log_base(x, luaL_checknumber(L, 2)));
}

int pow(lua_State* L) { return answer(L, power(luaL_checknumber(L, 1), luaL_checknumber(L, 2))); }

// ---- sine and its kin, for workloads with a daily cycle ----

constexpr double kPi = 3.141592653589793238;
constexpr double kExactTurns =
    1048576.0;  ///< up to this many quarter turns, the product with the first part of pi/2 is exact

struct Reduced {
  double x;     ///< in -pi/4..pi/4
  int quarter;  ///< quarter turns taken off, modulo 4
};

/// Takes off quarter turns in three parts, the first two with few enough bits that their products are exact
/// (Cody & Waite 1980). Beyond a million quarter turns the angle means little; it stays deterministic.
Reduced reduce_angle(double x) {
  if (std::fabs(x) > kExactTurns) x = std::fmod(x, 2.0 * kPi);
  const double turns = std::floor(x * (2.0 / kPi) + 0.5);
  x -= turns * 1.57079632673412561417;
  x -= turns * 6.07710050630396597660e-11;
  x -= turns * 2.02226624879595063154e-21;
  return {x, truncated<int>(std::fmod(turns, 4.0) + 4.0) % 4};
}

/// Sum of the Taylor series first * (1 - x^2/(n+1)(n+2) * (1 - ...)) from the smallest term on.
double alternating_series(double first, double x, int n) {
  double sum = 1.0;
  for (int k = n + 18; k > n; k -= 2) sum = 1.0 - x * x / static_cast<double>((k + 1) * k) * sum;
  return first * sum;
}

double sine(double angle, int quarters_more) {
  if (!std::isfinite(angle)) return NAN;
  const Reduced r = reduce_angle(angle);
  const int quarter = (r.quarter + quarters_more) % 4;
  // k runs over n+2, n+4, ...: (k+1)k is 3*2, 5*4, ... for the sine and 2*1, 4*3, ... for the cosine.
  const double size = quarter % 2 == 0 ? alternating_series(r.x, r.x, 0) : alternating_series(1.0, r.x, -1);
  return quarter < 2 ? size : -size;
}

int sin(lua_State* L) { return answer(L, sine(luaL_checknumber(L, 1), 0)); }

int cos(lua_State* L) { return answer(L, sine(luaL_checknumber(L, 1), 1)); }

int tan(lua_State* L) {
  const double x = luaL_checknumber(L, 1);
  return answer(L, sine(x, 0) / sine(x, 1));
}

// ---- random numbers ----

std::uint64_t draw(lua_State* L) {
  const RandomBits& bits = core_of(L).random;
  if (!bits) {
    luaL_error(L, "random numbers are not available here; expected a function of a workload, job, outage or program "
                  "script, or a policy that is running");
  }
  return bits();
}

/// A whole number in 0..limit, each equally likely.
std::uint64_t draw_below(lua_State* L, std::uint64_t limit) {
  std::uint64_t mask = limit;
  for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
  std::uint64_t x = draw(L) & mask;
  while (x > limit) x = draw(L) & mask;
  return x;
}

int random(lua_State* L) {
  lua_Integer low = 1, high = 0;
  switch (lua_gettop(L)) {
    case 0: lua_pushnumber(L, static_cast<double>(draw(L) >> 11) * 0x1p-53); return 1;
    case 1:
      high = luaL_checkinteger(L, 1);
      if (high == 0) {
        return answer(L, draw(L));
      }
      break;
    case 2:
      low = luaL_checkinteger(L, 1);
      high = luaL_checkinteger(L, 2);
      break;
    default: return luaL_error(L, "wrong number of arguments");
  }
  luaL_argcheck(L, low <= high, lua_gettop(L), "interval is empty");
  const std::uint64_t offset = draw_below(L, static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low));
  return answer(L, offset + static_cast<std::uint64_t>(low));
}

int randomseed(lua_State* L) {
  return luaL_error(L, "math.randomseed is not available: the seed of a run is set in the scenario or by --seed");
}

/// The ones that are exact, and Lua's own.
const char* const kKept[] = {"abs",        "ceil", "floor", "fmod", "huge",      "max",  "maxinteger", "min",
                             "mininteger", "modf", "pi",    "sqrt", "tointeger", "type", "ult"};

}  // namespace

void install_math(lua_State* L) {
  lua_createtable(L, 0, 24);
  for (const char* name : kKept) {
    lua_getfield(L, -2, name);
    lua_setfield(L, -2, name);
  }
  const luaL_Reg functions[] = {{"exp", exp},
                                {"log", log},
                                {"pow", pow},
                                {"sin", sin},
                                {"cos", cos},
                                {"tan", tan},
                                {"random", guarded<random>},
                                {"randomseed", randomseed},
                                {nullptr, nullptr}};
  luaL_setfuncs(L, functions, 0);
  lua_replace(L, -2);
}

}  // namespace coslice::luahost

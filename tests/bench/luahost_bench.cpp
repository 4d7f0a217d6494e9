// What the border between C++ and Lua costs.
#include <benchmark/benchmark.h>

#include <lua.hpp>

#include "host/call.h"
#include "host/script.h"

using namespace coslice;

namespace {

/// A state without (0: trusted) or with an instruction limit.
LuaState& state(std::int64_t limit) {
  static LuaState limited;
  static LuaState trusted(Limits{std::size_t{256} << 20, std::size_t{16} << 20, 0});
  return limit > 0 ? limited : trusted;
}

void empty_call(benchmark::State& run) {
  LuaState& lua = state(run.range(0));
  const LuaRef f = run_script(lua, {"bench.lua", "return function() end"});
  const std::string label = "f";
  for (auto _ : run) {
    Call call(lua, f, label);
    call.invoke(0);
  }
}
BENCHMARK(empty_call)->ArgName("limit")->Arg(0)->Arg(1);

void three_numbers_in_one_out(benchmark::State& run) {
  LuaState& lua = state(run.range(0));
  const LuaRef f = run_script(lua, {"bench.lua", "return function(a, b, c) return a + b * c end"});
  const std::string label = "f";
  double sum = 0;
  for (auto _ : run) {
    Call call(lua, f, label);
    call.push(1.5).push(2.5).push(3.5);
    call.invoke(1);
    sum += call.number(1);
  }
  benchmark::DoNotOptimize(sum);
}
BENCHMARK(three_numbers_in_one_out)->ArgName("limit")->Arg(0)->Arg(1);

/// The same by the C API alone: the floor.
void bare_pcall(benchmark::State& run) {
  lua_State* L = luaL_newstate();
  if (luaL_dostring(L, "return function(a, b, c) return a + b * c end") != LUA_OK) run.SkipWithError("no script");
  const int ref = luaL_ref(L, LUA_REGISTRYINDEX);
  double sum = 0;
  for (auto _ : run) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, ref);
    lua_pushnumber(L, 1.5);
    lua_pushnumber(L, 2.5);
    lua_pushnumber(L, 3.5);
    lua_pcall(L, 3, 1, 0);
    sum += lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  benchmark::DoNotOptimize(sum);
  lua_close(L);
}
BENCHMARK(bare_pcall);

void tight_loop(benchmark::State& run) {
  LuaState& lua = state(run.range(0));
  const LuaRef f = run_script(lua, {"bench.lua", "return function() local x = 0 for i = 1, 1000 do x = x + i end end"});
  const std::string label = "f";
  for (auto _ : run) {
    Call call(lua, f, label);
    call.invoke(0);
  }
}
BENCHMARK(tight_loop)->ArgName("limit")->Arg(0)->Arg(1);

void script(benchmark::State& run, const char* text) {
  LuaState& lua = state(0);
  const LuaRef f = run_script(lua, {"bench.lua", text});
  const std::string label = "f";
  for (auto _ : run) {
    Call call(lua, f, label);
    call.invoke(0);
  }
}
BENCHMARK_CAPTURE(script, ordered_pairs_of_10_fields,
                  "local t = {} for i = 1, 10 do t['k' .. i] = i end return function() for _ in pairs(t) do end end");
BENCHMARK_CAPTURE(script, pairs_of_a_list_of_100,
                  "local t = {} for i = 1, 100 do t[i] = i end return function() for _ in pairs(t) do end end");
BENCHMARK_CAPTURE(script, sort_1000_numbers,
                  "return function() local t = {} for i = 1, 1000 do t[i] = i * 7919 % 1009 end table.sort(t) end");
BENCHMARK_CAPTURE(script, sort_1000_with_comparator,
                  "return function() local t = {} for i = 1, 1000 do t[i] = i * 7919 % 1009 end"
                  " table.sort(t, function(a, b) return a > b end) end");
BENCHMARK_CAPTURE(script, library_function_1000_times,
                  "return function() for i = 1, 1000 do local x = math.floor(i) end end");
BENCHMARK_CAPTURE(script, pattern_match,
                  "return function() local k, v = ('key = value'):match('^(%w+)%s*=%s*(%w+)$') end");

void new_state(benchmark::State& run) {
  for (auto _ : run) LuaState lua;
}
BENCHMARK(new_state);

}  // namespace

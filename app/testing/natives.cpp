#include "testing/natives.h"

#include <lua.hpp>

#include <fmt/format.h>

#include "api/scripts/random_library.h"
#include "api/scripts/table_value.h"
#include "core/random.h"
#include "host/guard.h"
#include "host/value_text.h"
#include "testing/run_object.h"
#include "testing/simulate.h"
#include "testing/snapshot.h"

namespace coslice {
namespace {

SuiteContext& suite_of(lua_State* L) { return *static_cast<SuiteContext*>(lua_touserdata(L, lua_upvalueindex(1))); }

std::string text_argument(lua_State* L, int index) {
  std::size_t size = 0;
  const char* text = luaL_checklstring(L, index, &size);
  return {text, size};
}

/// fail(message [, line]): at the innermost line of the suite that runs, or at that line
int fail(lua_State* L) {
  const std::string message = text_argument(L, 1);
  if (lua_isnoneornil(L, 2)) fail_test(L, message);
  fail_test_at({suite_of(L).path, static_cast<int>(luaL_checkinteger(L, 2))}, message);
}

/// skip([reason])
int skip(lua_State* L) {
  const std::string reason = lua_isnoneornil(L, 1) ? "skipped by the case" : text_argument(L, 1);
  suite_of(L).skipping = true;
  throw TestSkipped(reason);
}

/// skipping() -> whether the case asked to be skipped: protected calls must not swallow that
int skipping(lua_State* L) {
  lua_pushboolean(L, suite_of(L).skipping);
  return 1;
}

/// is_bad_input(problem) -> whether a protected call of simulate ended with this complaint about its input
int is_bad_input(lua_State* L) {
  const std::string& last = suite_of(L).input_error;
  lua_pushboolean(L, !last.empty() && luaL_tolstring(L, 1, nullptr) == last);
  return 1;
}

/// line() -> the line of the suite that runs
int line(lua_State* L) {
  const std::vector<SuiteLine> lines = suite_lines(L);
  lua_pushinteger(L, lines.empty() ? 0 : lines[0].line);
  return 1;
}

/// job(fields) -> the same table, which remembers its line
int job(lua_State* L) {
  if (!lua_istable(L, 1))
    fail_test(L, "job takes a table, as job{submit=0, nodes=4, runtime=100}, got " + describe_value(L, 1));
  lua_settop(L, 1);
  const std::vector<SuiteLine> lines = suite_lines(L);
  if (!lines.empty()) mark_line(L, 1, lines[0].line);
  return 1;
}

int simulate_here(lua_State* L) { return simulate(L, suite_of(L)); }

/// check_run(value, what): fails unless the value is a run
int check_run(lua_State* L) {
  if (to_run(L, 1) == nullptr)
    fail_test(L, fmt::format("{} needs a run of simulate, got {}", text_argument(L, 2), describe_value(L, 1)));
  return 0;
}

/// same_starts(run, run) -> whether all jobs start at the same nanosecond
int same_starts(lua_State* L) {
  luaL_argexpected(L, to_run(L, 1) != nullptr, 1, "run");
  luaL_argexpected(L, to_run(L, 2) != nullptr, 2, "run");
  const TestRun& a = *to_run(L, 1);
  const TestRun& b = *to_run(L, 2);
  bool same = a.order.size() == b.order.size();
  for (std::size_t i = 0; same && i != a.order.size(); ++i) same = a.outcome(i).start == b.outcome(i).start;
  lua_pushboolean(L, same);
  return 1;
}

/// compare(reference, run) -> how much better the run is (lua/meta/test.lua)
int compare_runs(lua_State* L) {
  const TestRun* reference = to_run(L, 1);
  const TestRun* run = to_run(L, 2);
  if (reference == nullptr || run == nullptr) {
    fail_test(
        L, fmt::format("compare needs two runs of simulate, got {}, {}", describe_value(L, 1), describe_value(L, 2)));
  }
  push_comparison(L, compare(reference->run.summary, run->run.summary));
  return 1;
}

/// golden(value, name) -> what differs from the snapshot, or nil
int golden(lua_State* L) {
  const TestRun* run = to_run(L, 1);
  if (run == nullptr && lua_type(L, 1) != LUA_TSTRING) {
    fail_test(L, "matches_golden needs a run of simulate or a text, got " + describe_value(L, 1));
  }
  std::string text = run != nullptr ? snapshot_of(*run) : text_argument(L, 1);
  if (text.empty() || text.back() != '\n') text += '\n';
  std::optional<std::string> problem;
  try {
    problem = check_golden(suite_of(L), text_argument(L, 2), text);
  } catch (const InputError& e) {
    fail_test(L, e.what());
  }
  if (problem) lua_pushlstring(L, problem->data(), problem->size());
  else lua_pushnil(L);
  return 1;
}

/// unknown(what, name, names): fails with the nearest of the names
int unknown(lua_State* L) {
  std::vector<std::string> names;
  for (lua_Integer i = 1, n = luaL_len(L, 3); i <= n; ++i) {
    lua_geti(L, 3, i);
    names.push_back(text_argument(L, -1));
    lua_pop(L, 1);
  }
  const bool is_text = lua_type(L, 2) == LUA_TSTRING;
  Diagnostic d;
  d.problem = fmt::format("{} '{}'", text_argument(L, 1), is_text ? lua_tostring(L, 2) : describe_value(L, 2));
  d.suggestion = is_text ? did_you_mean(lua_tostring(L, 2), names) : "";
  if (d.suggestion.empty()) {
    for (const std::string& n : names) d.expected += (d.expected.empty() ? "one of " : ", ") + n;
  }
  fail_test(L, d.message());
}

/// reseed(seed, i): random numbers begin anew, with a stream of their own for each i
int reseed(lua_State* L) {
  const RandomKey key(static_cast<std::uint64_t>(luaL_checkinteger(L, 1)), "property");
  suite_of(L).random->reseed(key.bits(static_cast<std::uint64_t>(luaL_checkinteger(L, 2))), "workload");
  return 0;
}

/// seed() -> the seed for all properties, or nil
int seed(lua_State* L) {
  const auto& given = suite_of(L).seed;
  if (given) lua_pushinteger(L, static_cast<lua_Integer>(*given));
  else lua_pushnil(L);
  return 1;
}

/// tell(text): a remark on the case, whatever comes of it
int tell(lua_State* L) {
  suite_of(L).remark = text_argument(L, 1);
  return 0;
}

/// note(text): what a failure should say besides
int note(lua_State* L) {
  suite_of(L).notes.push_back(text_argument(L, 1));
  return 0;
}

using luahost::guarded;
constexpr luaL_Reg kFunctions[] = {
    {"fail", guarded<fail>},
    {"skip", guarded<skip>},
    {"skipping", guarded<skipping>},
    {"line", guarded<line>},
    {"is_bad_input", guarded<is_bad_input>},
    {"job", guarded<job>},
    {"simulate", guarded<simulate_here>},
    {"compare", guarded<compare_runs>},
    {"golden", guarded<golden>},
    {"check_run", guarded<check_run>},
    {"unknown", guarded<unknown>},
    {"same_starts", guarded<same_starts>},
    {"reseed", guarded<reseed>},
    {"seed", guarded<seed>},
    {"tell", guarded<tell>},
    {"note", guarded<note>},
    {nullptr, nullptr},
};

}  // namespace

void push_natives(lua_State* L, SuiteContext& suite) {
  luaL_newlibtable(L, kFunctions);
  lua_pushlightuserdata(L, &suite);
  luaL_setfuncs(L, kFunctions, 1);
}

}  // namespace coslice

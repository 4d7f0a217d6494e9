// A host that has a plain Lua of its own beside coslice: each must find its own, also when errors are raised in both.
#include <cstdio>
#include <string>

extern "C" {
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
}

#include "core/error.h"
#include "runner/runner.h"
#include "scenario/load.h"

using namespace coslice;

static bool broken_policy_is_reported() {
  const Scenario scenario = check_scenario(parse_scenario_tree(
      "machine.nodes = 2\npolicy.name = 'bad'\nworkload.jobs = [{nodes = 1, runtime = 5}]\n", "host"));
  try {
    Runner runner(scenario, {{{"bad", "error('from the policy')"}}});
  } catch (const InputError& error) {
    return std::string(error.what()).find("from the policy") != std::string::npos;
  }
  return false;
}

int main() {
  lua_State* own = luaL_newstate();
  luaL_openlibs(own);
  const bool before = luaL_dostring(own, "error('from the host')") != LUA_OK;
  const bool policy = broken_policy_is_reported();
  const bool after = luaL_dostring(own, "return select(2, pcall(error, 'again'))") == LUA_OK &&
                     std::string(lua_tostring(own, -1)) == "again";
  lua_close(own);
  std::puts(before && policy && after ? "both work" : "they disturb one another");
  return before && policy && after ? 0 : 1;
}

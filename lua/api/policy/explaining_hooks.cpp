#include "api/policy/explaining_hooks.h"

#include <lua.hpp>

#include <fmt/format.h>

#include "api/policy/policy.h"
#include "api/scripts/script_errors.h"
#include "host/state.h"

namespace coslice {
namespace {

struct ExplainingHook {
  const char* name;
  Hook ExplainingHooks::*hook;
};
constexpr ExplainingHook kExplainingHooks[] = {{"reason", &ExplainingHooks::reason},
                                               {"factors", &ExplainingHooks::factors}};

}  // namespace

std::vector<std::string> explaining_hook_names() {
  std::vector<std::string> names;
  for (const ExplainingHook& f : kExplainingHooks) names.emplace_back(f.name);
  return names;
}

std::vector<std::string> keep_explaining_hooks(const FieldReader& policy, const LuaRef& params) {
  std::vector<std::string> names;
  lua_State* const L = policy.state();
  for (const ExplainingHook& f : kExplainingHooks) {
    if (!policy.has(f.name)) continue;
    policy.require_function(f.name);
    params.push(L);
    policy.push(f.name);
    lua_rawsetp(L, -2, &f);
    lua_pop(L, 1);
    names.emplace_back(f.name);
  }
  return names;
}

ExplainingHooks explaining_hooks(Policy& policy) {
  ExplainingHooks hooks;
  policy.state().protect([&](lua_State* L) {
    for (const ExplainingHook& f : kExplainingHooks) {
      policy.params_table().push(L);
      lua_rawgetp(L, -1, &f);
      (hooks.*f.hook).function = LuaRef::pop(L);
      (hooks.*f.hook).label = fmt::format("hook '{}' of policy '{}'", f.name, policy.description().name);
      lua_pop(L, 1);
    }
  });
  return hooks;
}

}  // namespace coslice

#include "api/placement_setting.h"

#include <lua.hpp>

#include <fmt/format.h>

#include "api/read_hook.h"
#include "api/script_text.h"
#include "host/guard.h"

namespace coslice {

namespace {

const std::vector<std::string>& rank_names() {
  static const std::vector<std::string> names = {"first", "best-fit", "pack", "spread"};
  return names;
}

void read_rank(const FieldReader& f, const char* field, PlacementSetting& setting) {
  setting.text = f.choice(field, rank_names());
  setting.rank = setting.text == "first"      ? BuiltInRank::kFirst
                 : setting.text == "best-fit" ? BuiltInRank::kBestFit
                 : setting.text == "pack"     ? BuiltInRank::kPack
                                              : BuiltInRank::kSpread;
}

bool is_function(const FieldReader& f, const char* name) {
  const luahost::StackGuard guard(f.state());
  f.push(name);
  return lua_isfunction(f.state(), -1);
}

void read_details(const FieldReader& f, const std::string& where, PlacementSetting& setting) {
  f.only({"rank", "ties", "gpus", "cached"});
  if (is_function(f, "rank")) {
    setting.function = read_hook(f, "rank", "of the placement " + where);
    setting.text = "by a function";
  } else if (f.has("rank")) {
    read_rank(f, "rank", setting);
  } else {
    setting.text = "first";
  }
  if (f.has("ties"))
    setting.ties = f.choice("ties", {"order", "random"}) == "random" ? NodeTies::kRandom : NodeTies::kOrder;
  if (f.has("gpus")) {
    const std::string gpus = f.choice("gpus", {"fitting", "first", "random"});
    setting.gpus = gpus == "fitting" ? GpuChoice::kFitting : gpus == "first" ? GpuChoice::kFirst : GpuChoice::kRandom;
  }
  if (!f.has("cached")) return;
  if (!setting.function)
    f.fail("cached", "placement: field 'cached' has no effect without a function",
           "rank = function(node, job) ... end");
  setting.cached = f.flag("cached");
}

}  // namespace

PlacementSetting read_placement(const FieldReader& policy, const std::string& policy_name) {
  PlacementSetting setting;
  lua_State* const L = policy.state();
  const luahost::StackGuard guard(L);
  const std::string where = fmt::format("of policy '{}'", policy_name);
  policy.push("placement");
  if (lua_isfunction(L, -1)) {
    setting.function = read_hook(policy, "placement", where);
    setting.text = "by a function";
  } else if (lua_istable(L, -1)) {
    read_details(policy.inner(lua_gettop(L), "placement"), where, setting);
  } else if (lua_isstring(L, -1)) {
    read_rank(policy, "placement", setting);
  } else {
    policy.fail(
        "placement", "policy: field 'placement' is no name, function or table",
        "\"first\", \"best-fit\", \"pack\", \"spread\", function(node, job, view, params) ... end, or { rank = ... }");
  }
  return setting;
}

}  // namespace coslice

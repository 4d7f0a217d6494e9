#include "api/policy/placement_setting.h"

#include <bit>

#include <lua.hpp>

#include <fmt/format.h>

#include "api/scripts/script_errors.h"
#include "host/guard.h"
#include "machine/node_names.h"

namespace coslice {
namespace {

const std::vector<std::string>& rank_names() {
  static const std::vector<std::string> names = {"first", "best-fit", "pack", "spread", "switch"};
  return names;
}

void read_rank(const FieldReader& f, const char* field, PlacementSetting& setting) {
  setting.text = f.choice(field, rank_names());
  setting.rank = setting.text == "first"      ? BuiltInRank::kFirst
                 : setting.text == "best-fit" ? BuiltInRank::kBestFit
                 : setting.text == "pack"     ? BuiltInRank::kPack
                 : setting.text == "spread"   ? BuiltInRank::kSpread
                                              : BuiltInRank::kFirst;
  setting.switches = setting.text == "switch";
}

bool is_function(const FieldReader& f, const char* name) {
  const luahost::StackGuard guard(f.state());
  f.push(name);
  return lua_isfunction(f.state(), -1);
}

void read_groups(const FieldReader& f, PlacementSetting& setting) {
  lua_State* const L = f.state();
  const luahost::StackGuard guard(L);
  const auto fail = [&] {
    f.fail("groups", "placement: field 'groups' is neither a list of nodes nor \"runs\"",
           "{ \"n[1-4]\", \"m[1-4],g1\" }");
  };
  f.push("groups");
  if (lua_type(L, -1) == LUA_TSTRING && std::string(lua_tostring(L, -1)) == "runs") {
    setting.runs = true;
    return;
  }
  if (!lua_istable(L, -1)) fail();
  for (lua_Integer i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL; ++i) {
    if (lua_type(L, -1) != LUA_TSTRING) fail();
    setting.groups.emplace_back(lua_tostring(L, -1));
    lua_pop(L, 1);
  }
}

void read_blocks(const FieldReader& f, PlacementSetting& setting) {
  lua_State* const L = f.state();
  const luahost::StackGuard guard(L);
  const auto fail = [&] {
    f.fail("blocks",
           "placement: field 'blocks' is no list of ascending numbers of nodes, each the first one times a "
           "power of two",
           "{ 4, 8, 16 }");
  };
  f.push("blocks");
  if (!lua_istable(L, -1)) fail();
  std::vector<std::int32_t>& all = setting.blocks;
  for (lua_Integer i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL; ++i) {
    const lua_Integer size = lua_isinteger(L, -1) != 0 ? lua_tointeger(L, -1) : 0;
    if (size < 1 || size > 1'000'000 || (!all.empty() && (size <= all.back() || size % all.front() != 0))) fail();
    all.push_back(static_cast<std::int32_t>(size));
    if (!std::has_single_bit(static_cast<std::uint32_t>(all.back() / all.front()))) fail();
    lua_pop(L, 1);
  }
  if (all.empty()) fail();
  if (!setting.switches && setting.groups.empty())
    f.fail("blocks", "placement: field 'blocks' has no effect without groups of nodes", "switches = true, or groups");
}

void read_details(const FieldReader& f, const std::string& where, PlacementSetting& setting) {
  f.only({"rank", "ties", "gpus", "groups", "switches", "blocks", "cached"});
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
  if (f.has("groups")) read_groups(f, setting);
  if (f.has("switches")) setting.switches = f.flag("switches");
  if (f.has("blocks")) read_blocks(f, setting);
  if (!f.has("cached")) return;
  if (!setting.function)
    f.fail("cached", "placement: field 'cached' has no effect without a function",
           "rank = function(node, job) ... end");
  setting.cached = f.flag("cached");
}

}  // namespace

PlacementSetting read_placement(const FieldReader& policy, const std::string& policy_name) {
  PlacementSetting setting;
  setting.file = policy.file();
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
    policy.fail("placement", "policy: field 'placement' is not a name, a function or a table",
                "\"first\", \"best-fit\", \"pack\", \"spread\", \"switch\", function(node, job, view, params) ... end, "
                "or { rank = ... }");
  }
  return setting;
}

std::vector<std::int32_t> groups_of_nodes(const PlacementSetting& setting, const MachineLayout& layout) {
  if (setting.switches && !layout.switches.empty()) return layout.switch_of_nodes();
  if (setting.groups.empty()) return {};
  const Place place{std::make_shared<Source>(Source{setting.file, ""}), 0};
  const NodeLookup names(layout);
  std::vector<std::int32_t> groups(static_cast<std::size_t>(layout.node_count()), -1);
  std::int32_t count = 0;
  for (const std::string& text : setting.groups) {
    NodeSet nodes(layout.node_count());
    if (const auto unknown = names.insert(nodes, text, place))
      fail_at(place, fmt::format("placement: '{}' in 'groups' is neither a kind nor a node of the machine", *unknown),
              "names of kinds or nodes");
    nodes.for_each([&](NodeId n) {
      std::int32_t& group = groups[static_cast<std::size_t>(n)];
      if (group >= 0)
        fail_at(place, fmt::format("placement: node '{}' is in two groups", layout.node_name(n)), "each node once");
      group = count;
    });
    ++count;
  }
  for (std::int32_t& group : groups)
    if (group < 0) group = count++;
  return groups;
}

}  // namespace coslice

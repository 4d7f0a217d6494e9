#include "api/coscheduling_settings.h"

#include <algorithm>
#include <lua.hpp>

#include <fmt/format.h>

#include "api/read_hook.h"
#include "api/script_text.h"
#include "core/error.h"
#include "host/guard.h"

namespace coslice {

namespace {

constexpr std::size_t kMost = 64;  // classes, modes, rows of the matrix

using Names = std::vector<std::string>;

Duration seconds_field(const FieldReader& f, const char* name, double least, Duration fallback) {
  if (!f.has(name)) return fallback;
  const double s = f.number(name);
  if (!(s >= least && s <= kMaxSeconds)) {
    f.fail(name, fmt::format("coscheduling: field '{}' is {}", name, s),
           fmt::format("seconds from {} to {}", least, kMaxSeconds));
  }
  return from_seconds(s);
}

/// The texts of the list on the top of the stack; `what` names the field in complaints.
Names read_names(const FieldReader& f, const char* field) {
  lua_State* L = f.state();
  const luahost::StackGuard guard(L);
  Names names;
  const std::size_t n = lua_istable(L, -1) ? lua_rawlen(L, -1) : 0;
  if (n == 0 || n > kMost)
    f.fail(field, fmt::format("coscheduling: '{}' is not a list of names", field), "{ \"name\", ... }");
  for (std::size_t i = 1; i <= n; ++i) {
    lua_rawgeti(L, -1, static_cast<lua_Integer>(i));
    if (lua_type(L, -1) != LUA_TSTRING)
      f.fail(field, fmt::format("coscheduling: '{}' has a {} among its names", field, luaL_typename(L, -1)),
             "{ \"name\", ... }");
    names.emplace_back(lua_tostring(L, -1));
    lua_pop(L, 1);
    if (std::count(names.begin(), names.end(), names.back()) > 1)
      f.fail(field, fmt::format("coscheduling: '{}' names '{}' twice", field, names.back()));
  }
  return names;
}

ClassId class_number(const FieldReader& f, const char* field, const Names& classes, const std::string& name) {
  const auto it = std::find(classes.begin(), classes.end(), name);
  if (it == classes.end())
    f.fail(field, fmt::format("coscheduling: '{}' names a class '{}' that there is not", field, name),
           "one of 'classes'", did_you_mean(name, classes));
  return static_cast<ClassId>(it - classes.begin());
}

/// priority = { "A", { "B", "C" } }: A first, then B and C as equals; classes that are not named may not run.
std::vector<int> read_priority(const FieldReader& f, const Names& classes) {
  lua_State* L = f.state();
  const luahost::StackGuard guard(L);
  std::vector<int> priority(classes.size(), -1);
  f.push("priority");
  if (!lua_istable(L, -1))
    f.fail("priority", "coscheduling: 'priority' is not a list", "{ \"first\", { \"then\", \"these\" } }");
  const std::size_t n = lua_rawlen(L, -1);
  for (std::size_t i = 1; i <= n; ++i) {
    lua_rawgeti(L, -1, static_cast<lua_Integer>(i));
    const Names equals = lua_type(L, -1) == LUA_TSTRING ? Names{lua_tostring(L, -1)} : read_names(f, "priority");
    lua_pop(L, 1);
    for (const std::string& name : equals) {
      int& place = priority[class_number(f, "priority", classes, name)];
      if (place >= 0) f.fail("priority", fmt::format("coscheduling: 'priority' names '{}' twice", name));
      place = static_cast<int>(i);
    }
  }
  return priority;
}

void read_gaps(const FieldReader& f, const Names& classes, SlotMode& mode) {
  const luahost::StackGuard guard(f.state());
  if (mode.priority.empty()) mode.priority.assign(classes.size(), 0);
  mode.fills_gaps.assign(classes.size(), false);
  f.push("gaps");
  for (const std::string& name : read_names(f, "gaps")) {
    const ClassId c = class_number(f, "gaps", classes, name);
    mode.fills_gaps[c] = true;
    mode.priority[c] = 0;
  }
}

SlotMode read_mode(const FieldReader& f, const std::string& name, const Names& classes) {
  f.only({"run", "spin", "quantum", "switch", "dispatch", "priority", "gaps", "own_first"});
  SlotMode m;
  m.name = name;
  m.exclusive = !f.has("run") || f.choice("run", {"own", "all"}) == "own";
  m.spin = seconds_field(f, "spin", 0, kForever);
  m.switch_cost = seconds_field(f, "switch", 0, Duration{0});
  for (const char* field : {"quantum", "dispatch", "priority", "gaps", "own_first"}) {
    if (m.exclusive && f.has(field))
      f.fail(field, fmt::format("coscheduling: '{}' has no effect where only the slot's own process runs", field),
             "run = \"all\"");
  }
  if (!m.exclusive && f.has("switch"))
    f.fail("switch", "coscheduling: 'switch' has no effect where all processes run", "dispatch, or run = \"own\"");
  m.quantum = seconds_field(f, "quantum", 1e-6, kForever);
  m.dispatch_cost = seconds_field(f, "dispatch", 0, Duration{0});
  if (f.has("priority")) m.priority = read_priority(f, classes);
  if (f.has("gaps")) read_gaps(f, classes, m);
  if (f.has("own_first")) m.own_first = f.flag("own_first");
  return m;
}

/// In alphabetical order: Lua keeps no other.
void read_modes(const FieldReader& f, CoschedulingRules& rules) {
  lua_State* L = f.state();
  const luahost::StackGuard guard(L);
  f.push("modes");
  if (!lua_istable(L, -1))
    f.fail("modes", "coscheduling: there are no 'modes'", "modes = { name = { run = \"own\" }, ... }");
  Names names;
  lua_pushnil(L);
  while (lua_next(L, -2) != 0) {
    if (lua_type(L, -2) != LUA_TSTRING || !lua_istable(L, -1))
      f.fail("modes", "coscheduling: a mode is not a table with a name", "name = { run = \"own\" }");
    names.emplace_back(lua_tostring(L, -2));
    lua_pop(L, 1);
  }
  if (names.empty() || names.size() > kMost)
    f.fail("modes", fmt::format("coscheduling: there are {} modes", names.size()), fmt::format("1 to {}", kMost));
  std::sort(names.begin(), names.end());
  rules.modes.clear();
  for (const std::string& name : names) {
    lua_getfield(L, -1, name.c_str());
    rules.modes.push_back(read_mode(f.inner(-1, fmt::format("coscheduling: mode '{}'", name)), name, rules.classes));
    lua_pop(L, 1);
  }
}

}  // namespace

CoschedulingSettings read_coscheduling(const FieldReader& policy, const std::string& name) {
  const FieldReader f = policy.inner(-1, "coscheduling");
  f.only({"multiprogramming", "slice", "packing", "classes", "modes", "slot", "classify"});
  CoschedulingSettings s;
  CoschedulingRules& rules = s.rules;
  if (f.has("multiprogramming")) {
    const long long rows = f.integer("multiprogramming", 1);
    if (rows > static_cast<long long>(kMost))
      f.fail("multiprogramming", fmt::format("coscheduling: the multiprogramming level is {}", rows),
             fmt::format("1 to {}", kMost));
    rules.multiprogramming = static_cast<std::int32_t>(rows);
  }
  rules.slice = seconds_field(f, "slice", 1e-6, Duration{0});
  if (f.has("packing") && f.choice("packing", {"lowest", "buddy"}) == "buddy") s.packing = Packing::kBuddy;
  if (f.has("classes")) {
    const luahost::StackGuard guard(f.state());
    f.push("classes");
    rules.classes = read_names(f, "classes");
  }
  read_modes(f, rules);
  s.slot = read_hook(f, "slot", fmt::format("of the coscheduling of policy '{}'", name));
  s.classify = read_hook(f, "classify", fmt::format("of the coscheduling of policy '{}'", name));
  rules.classifies = static_cast<bool>(s.classify);
  if (!s.slot && rules.modes.size() > 1)
    f.fail("modes", "coscheduling: there are several modes and no function 'slot' that chooses",
           "slot = function(next, params) return \"name\" end");
  if (s.slot && rules.modes.size() == 1)
    f.fail("slot", "coscheduling: 'slot' has nothing to choose from: there is one mode");
  if (s.classify && rules.slice == Duration{0})
    f.fail("classify", "coscheduling: 'classify' is asked at the end of slots, and there are none", "slice = 0.1");
  if (f.has("classes") && !s.classify) f.fail("classes", "coscheduling: there are classes and no function 'classify'");
  return s;
}

}  // namespace coslice

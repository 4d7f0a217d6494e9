#include "testing/simulate.h"

#include <filesystem>
#include <lua.hpp>

#include <fmt/format.h>

#include "api/scripts/table_value.h"
#include "host/guard.h"
#include "host/value_text.h"
#include "scenario/load.h"
#include "testing/run_object.h"

namespace coslice {
namespace {

/// What a suite writes shorter than a scenario file: { jobs = ... } for { workload = { jobs = ... } }.
struct Shorthand {
  const char* name;
  const char *table, *key;
};
constexpr Shorthand kShorthands[] = {
    {"nodes", "machine", "nodes"}, {"jobs", "workload", "jobs"}, {"params", "policy", "params"}};

class SimulateCall {
 public:
  SimulateCall(lua_State* L, SuiteContext& suite) : L_(L), suite_(suite) {
    const std::vector<SuiteLine> lines = suite_lines(L);
    if (!lines.empty()) line_ = lines[0];
    place_ = {std::make_shared<Source>(Source{line_.file.empty() ? suite.path : line_.file, suite.folder}), line_.line};
  }

  int run() {
    try {
      return simulate_all();
    } catch (const InputError& e) {
      Diagnostic d = e.diagnostic();
      if (d.file.empty()) {  // e.g. a policy that is not found
        d.file = line_.file;
        d.line = line_.line;
      }
      if (d.file != line_.file || d.line != line_.line) d.detail += (d.detail.empty() ? "" : "\n") + called_from();
      suite_.input_error = d.message();
      throw InputError(std::move(d));
    } catch (const SimulationError& e) {
      throw SimulationError(std::string(e.what()) + "\n" + called_from());
    }
  }

 private:
  std::string called_from() const { return fmt::format("  in simulate, called at {}:{}", line_.file, line_.line); }

  int simulate_all() {
    Value tree = lua_type(L_, 1) == LUA_TSTRING ? from_file(1) : from_table(1, "the scenario");
    if (!lua_isnoneornil(L_, 2)) merge_scenario(tree, from_table(2, "what simulate overrides"));
    const auto runner = std::make_shared<const Runner>(check_scenario(tree), std::move(policies_));
    for (const std::string& warning : runner->workload().warnings) suite_.warn(warning, warning);
    const auto n = static_cast<int>(runner->policies());
    luaL_checkstack(L_, n + 4, "too many policies");
    for (int i = 0; i != n; ++i) {
      TestRun made = run_watched(runner, static_cast<std::size_t>(i),
                                 [this](std::string_view s) { suite_.output.emplace_back(s); });
      made.suite = &suite_;
      push_run(L_, std::move(made));
    }
    return n;
  }

  Value from_file(int index) {
    std::size_t size = 0;
    const char* text = lua_tolstring(L_, index, &size);
    const std::filesystem::path path = std::filesystem::path(suite_.folder) / std::string(text, size);
    return read_scenario_tree(path.lexically_normal().string());
  }

  Value from_table(int index, const char* what) {
    if (!lua_istable(L_, index)) {
      fail_at(place_, fmt::format("{} is {}", what, describe_value(L_, index)),
              "a table with the keys of a scenario" +
                  std::string(index == 1 ? ", or the path of a scenario file" : ""));
    }
    const luahost::StackGuard guard(L_);
    lua_pushvalue(L_, index);
    const Value policy = take_policy();
    Value tree = value_from_lua(L_, -1, place_, "");
    if (!tree.is_table()) fail_at(place_, std::string(what) + " is a list", "named keys: jobs = { job{...}, ... }");
    if (!policy.is_nil()) tree.set("policy", policy);
    for (const Shorthand& s : kShorthands) move_key(tree, s);
    return tree;
  }

  static void move_key(Value& tree, const Shorthand& s) {
    const Value* found = tree.find(s.name);
    if (!found) return;
    const Value v = *found;
    tree.erase(s.name);
    Value* table = tree.find(s.table);
    if (!table) {
      Value fresh = Value::table();
      fresh.place = v.place;
      table = &tree.set(s.table, std::move(fresh));
    }
    if (!table->is_table()) fail_at(table->place, fmt::format("{} is {}", s.table, kind_name(*table)), "a table");
    if (table->find(s.key))
      fail_at(v.place, fmt::format("{} and {}.{} are both set", s.name, s.table, s.key), "one of them");
    table->set(s.key, v);
  }

  // --- policies: `policy` may be a name, a path, a policy itself, its text, a list of these, or a scenario's table

  /// Replaces the scenario's table on the top of the stack by a copy without its policy, which is returned as the
  /// scenario's own table; nothing if there is none.
  Value take_policy() {
    lua_getfield(L_, -1, "policy");
    Value names;
    if (lua_istable(L_, -1) && !is_policy(-1) && lua_rawlen(L_, -1) == 0) {
      lua_pop(L_, 1);  // name = ..., params = ...: as it stands in a scenario
      return {};
    }
    if (lua_isnil(L_, -1)) {
      lua_pop(L_, 1);
      return {};
    }
    names = policy_names(lua_gettop(L_));
    lua_pop(L_, 1);
    copy_without_policy();
    Value table = Value::table();
    table.place = place_;
    table.set("name", std::move(names));
    return table;
  }

  bool is_policy(int index) {
    const luahost::StackGuard guard(L_);
    lua_getfield(L_, index, "api");
    return !lua_isnil(L_, -1);
  }

  void copy_without_policy() {
    lua_newtable(L_);
    lua_pushnil(L_);
    while (lua_next(L_, -3) != 0) {
      lua_pushvalue(L_, -2);
      lua_insert(L_, -2);
      lua_rawset(L_, -4);
    }
    lua_pushnil(L_);
    lua_setfield(L_, -2, "policy");
    lua_remove(L_, -2);
  }

  Value policy_names(int index) {
    Value names;
    if (lua_istable(L_, index) && !is_policy(index)) {
      Value::List list;
      for (lua_Integer i = 1, n = static_cast<lua_Integer>(lua_rawlen(L_, index)); i <= n; ++i) {
        lua_rawgeti(L_, index, i);
        list.push_back(policy_name(lua_gettop(L_)));
        lua_pop(L_, 1);
      }
      names = Value(std::move(list));
    } else {
      names = policy_name(index);
    }
    names.place = place_;
    return names;
  }

  /// The name by which the runner finds the policy.
  Value policy_name(int index) {
    Value name;
    if (lua_istable(L_, index)) {
      name = Value(add_policy(lua_policy(index)));
    } else {
      name = value_from_lua(L_, index, place_, "policy");
      if (name.text() && name.text()->find('\n') != std::string::npos)
        name = Value(add_policy(Script{"", *name.text()}));
    }
    name.place = place_;
    return name;
  }

  std::string add_policy(GivenPolicy policy) {
    policy.script.name = fmt::format("{}:{} (policy{})", place_.source->name, line_.line,
                                     policies_.empty() ? "" : fmt::format(" {}", policies_.size() + 1));
    policies_.push_back(std::move(policy));
    return policies_.back().script.name;
  }

  /// A policy that is written in the suite runs in the suite's own state: its functions may use the suite's variables.
  GivenPolicy lua_policy(int index) {
    lua_pushvalue(L_, index);
    auto table = std::make_shared<LuaRef>(LuaRef::pop(L_));
    LuaState& state = *suite_.state;
    const std::string file = place_.source->name;
    return {Script{"", ""}, [table, &state, file](const Value& params, const PolicyContext& context) {
              return std::make_unique<Policy>(state, *table, file, params, context, false);
            }};
  }

  lua_State* L_;
  SuiteContext& suite_;
  SuiteLine line_;
  Place place_;
  std::vector<GivenPolicy> policies_;
};

}  // namespace

int simulate(lua_State* L, SuiteContext& suite) { return SimulateCall(L, suite).run(); }

}  // namespace coslice

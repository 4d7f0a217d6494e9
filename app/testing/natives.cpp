// What the Lua half of the test library (lua/lib/test.lua) asks of the engine.
#include <filesystem>

#include <fmt/format.h>

#include "api/scripts/random_library.h"
#include "api/scripts/table_value.h"
#include "core/random.h"
#include "host/bind.h"
#include "host/value_text.h"
#include "scenario/load.h"
#include "testing/run_object.h"
#include "testing/snapshot.h"

namespace coslice {
namespace {

using luahost::Pushed;
using luahost::text_argument;

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

/// The suite whose test library calls.
struct SuiteCall {
  static constexpr int kFirstArgument = 1;
  explicit SuiteCall(lua_State* state)
      : L(state), suite(*static_cast<SuiteContext*>(lua_touserdata(state, lua_upvalueindex(1)))) {}
  lua_State* L;
  SuiteContext& suite;
};

/// fail(message [, line]): at the innermost line of the suite that runs, or at that line
void fail(const SuiteCall& call, const std::string& message, std::optional<lua_Integer> line) {
  if (!line) fail_test(call.L, message);
  fail_test_at({call.suite.path, static_cast<int>(*line)}, message);
}

/// skip([reason])
void skip(const SuiteCall& call, const std::optional<std::string>& reason) {
  call.suite.skipping = true;
  throw TestSkipped(reason.value_or("skipped by the case"));
}

/// skipping() -> whether the case asked to be skipped: protected calls must not swallow that
bool skipping(const SuiteCall& call) { return call.suite.skipping; }

/// is_bad_input(problem) -> whether a protected call of simulate ended with this message about its input
bool is_bad_input(const SuiteCall& call) {
  const std::string& last = call.suite.input_error;
  return !last.empty() && luaL_tolstring(call.L, 1, nullptr) == last;
}

/// line() -> the line of the suite that runs
int line(const SuiteCall& call) {
  const std::vector<SuiteLine> lines = suite_lines(call.L);
  return lines.empty() ? 0 : lines[0].line;
}

/// job(fields) -> the same table, which remembers its line
Pushed job(const SuiteCall& call) {
  lua_State* const L = call.L;
  if (!lua_istable(L, 1))
    fail_test(L, "job takes a table, as job{submit=0, nodes=4, runtime=100}, got " + describe_value(L, 1));
  lua_settop(L, 1);
  const std::vector<SuiteLine> lines = suite_lines(L);
  if (!lines.empty()) mark_line(L, 1, lines[0].line);
  return {};
}

/// Runs the Lua function simulate(scenario, overrides?) -> Run: `scenario` is the path of a scenario file, seen from
/// the suite's folder, or a table with the keys of one. Pushes a run for each policy. Throws InputError and
/// SimulationError, both with the calling line in their details.
Pushed simulate_scenario(const SuiteCall& call) { return {SimulateCall(call.L, call.suite).run()}; }

/// check_run(value, what): fails unless the value is a run
void check_run(const SuiteCall& call) {
  if (to_run(call.L, 1) == nullptr)
    fail_test(call.L,
              fmt::format("{} needs a run of simulate, got {}", text_argument(call.L, 2), describe_value(call.L, 1)));
}

/// same_starts(run, run) -> whether all jobs start at the same nanosecond
bool same_starts(const SuiteCall& call) {
  luaL_argexpected(call.L, to_run(call.L, 1) != nullptr, 1, "run");
  luaL_argexpected(call.L, to_run(call.L, 2) != nullptr, 2, "run");
  const TestRun& a = *to_run(call.L, 1);
  const TestRun& b = *to_run(call.L, 2);
  bool same = a.order.size() == b.order.size();
  for (std::size_t i = 0; same && i != a.order.size(); ++i) same = a.outcome(i).start == b.outcome(i).start;
  return same;
}

/// compare(reference, run) -> how much better the run is (lua/meta/test.lua)
Pushed compare_runs(const SuiteCall& call) {
  lua_State* const L = call.L;
  const TestRun* reference = to_run(L, 1);
  const TestRun* run = to_run(L, 2);
  if (reference == nullptr || run == nullptr) {
    fail_test(
        L, fmt::format("compare needs two runs of simulate, got {}, {}", describe_value(L, 1), describe_value(L, 2)));
  }
  push_comparison(L, compare(reference->run.summary, run->run.summary));
  return {};
}

/// golden(value, name) -> what differs from the snapshot, or nil
std::optional<std::string> golden(const SuiteCall& call) {
  lua_State* const L = call.L;
  const TestRun* run = to_run(L, 1);
  if (run == nullptr && lua_type(L, 1) != LUA_TSTRING) {
    fail_test(L, "matches_golden needs a run of simulate or a text, got " + describe_value(L, 1));
  }
  std::string text = run != nullptr ? snapshot_of(*run) : std::string(text_argument(L, 1));
  if (text.empty() || text.back() != '\n') text += '\n';
  try {
    return check_golden(call.suite, std::string(text_argument(L, 2)), text);
  } catch (const InputError& e) {
    fail_test(L, e.what());
  }
}

/// unknown(what, name, names): fails with the nearest of the names
void unknown(const SuiteCall& call, std::string_view what) {
  lua_State* const L = call.L;
  std::vector<std::string> names;
  for (lua_Integer i = 1, n = luaL_len(L, 3); i <= n; ++i) {
    lua_geti(L, 3, i);
    names.emplace_back(text_argument(L, -1));
    lua_pop(L, 1);
  }
  const bool is_text = lua_type(L, 2) == LUA_TSTRING;
  Diagnostic d;
  d.problem = fmt::format("{} '{}'", what, is_text ? lua_tostring(L, 2) : describe_value(L, 2));
  d.suggestion = is_text ? did_you_mean(lua_tostring(L, 2), names) : "";
  if (d.suggestion.empty()) {
    for (const std::string& n : names) d.expected += (d.expected.empty() ? "one of " : ", ") + n;
  }
  fail_test(L, d.message());
}

/// reseed(seed, i): random numbers begin again, with a stream of their own for each i
void reseed(const SuiteCall& call, lua_Integer seed, lua_Integer i) {
  const RandomKey key(static_cast<std::uint64_t>(seed), "property");
  call.suite.random->reseed(key.bits(static_cast<std::uint64_t>(i)), "workload");
}

/// seed() -> the seed for all properties, or nil
std::optional<std::uint64_t> seed(const SuiteCall& call) { return call.suite.seed; }

/// times() -> how many times as many workloads each property holds on
std::int64_t times(const SuiteCall& call) { return call.suite.times; }

/// tell(text): a remark on the case, whatever comes of it
void tell(const SuiteCall& call, std::string_view text) { call.suite.remark = text; }

/// note(text): what a failure should say besides
void note(const SuiteCall& call, std::string_view text) { call.suite.notes.emplace_back(text); }

}  // namespace

void push_natives(lua_State* L, SuiteContext& suite) {
  using luahost::bound;
  lua_createtable(L, 0, 16);
  lua_pushlightuserdata(L, &suite);
  luahost::set_functions(L,
                         {{"fail", bound<fail>},
                          {"skip", bound<skip>},
                          {"skipping", bound<skipping>},
                          {"line", bound<line>},
                          {"is_bad_input", bound<is_bad_input>},
                          {"job", bound<job>},
                          {"simulate", bound<simulate_scenario>},
                          {"compare", bound<compare_runs>},
                          {"golden", bound<golden>},
                          {"check_run", bound<check_run>},
                          {"unknown", bound<unknown>},
                          {"same_starts", bound<same_starts>},
                          {"reseed", bound<reseed>},
                          {"seed", bound<seed>},
                          {"times", bound<times>},
                          {"tell", bound<tell>},
                          {"note", bound<note>}},
                         1);
}

}  // namespace coslice

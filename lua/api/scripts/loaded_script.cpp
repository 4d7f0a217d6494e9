#include "api/scripts/loaded_script.h"

#include <algorithm>
#include <filesystem>
#include <lua.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/jobs/known_fields.h"
#include "api/scripts/rows.h"
#include "api/scripts/script_errors.h"
#include "core/codec.h"
#include "core/error.h"
#include "host/guard.h"

namespace coslice {
namespace {

constexpr long long kScriptApi = 1;

/// A parameter that is given as what a file says: NAME = { csv = PATH }, NAME = { json = PATH }.
struct GivenRows {
  std::string name, path;
  bool json;
};

/// Takes the tables out of what is given. Throws InputError at one that the script does not expect.
std::vector<GivenRows> take_rows(Value& given, const std::vector<ParamSpec>& specs) {
  std::vector<GivenRows> rows;
  Value others = Value::table();
  for (const Member& m : *given.members()) {
    const auto spec = std::ranges::find(specs, m.key, &ParamSpec::name);
    const bool takes = spec != specs.end() && spec->fallback.text() != nullptr && spec->choices.empty();
    if (!takes || !m.value.is_table()) {
      others.set(m.key, m.value);
      continue;
    }
    const Value* const csv = m.value.find("csv");
    const Value* const json = m.value.find("json");
    if ((csv == nullptr && json == nullptr) || m.value.members()->size() != 1)
      fail_at(m.value.place, fmt::format("parameter '{}' is a table", m.key),
              "a text, { csv = PATH } or { json = PATH }");
    rows.push_back(csv != nullptr
                       ? GivenRows{m.key, codec::read_path(*csv, m.key + ".csv", "the path of a CSV file"), false}
                       : GivenRows{m.key, codec::read_path(*json, m.key + ".json", "the path of a JSON file"), true});
  }
  given = std::move(others);
  return rows;
}

}  // namespace

ScriptContext script_context(const std::string& path, const Limits& limits, std::uint64_t seed) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  if (folder.empty()) folder += '.';
  return {limits, seed, {{folder, "", folder}, {"", "lib/", "the built-in library"}}};
}

std::vector<ParamSpec> declared_params(const Script& script, const ScriptContext& context, const ScriptKind& kind) {
  const LoadedScript loaded(script, context, kind);
  loaded.function(kind.functions.front().c_str());
  return loaded.params();
}

LoadedScript::LoadedScript(Script script, const ScriptContext& context, const ScriptKind& kind, bool quiet)
    : script_(std::move(script)), kind_(kind), state_(context.limits) {
  if (quiet) state_.set_print([](std::string_view) {});
  set_module_roots(state_, context.roots);
  const LuaRef environment = new_environment(state_);
  if (*kind.stream != 0) random_.emplace(state_, context.seed, kind.stream).install(state_, environment);
  table_ = run_script(state_, script_, environment);
  state_.protect([&](lua_State* L) { read(L); });
}

void LoadedScript::read(lua_State* L) {
  table_.push(L);
  if (!lua_istable(L, -1))
    throw InputError({script_.name, 0, fmt::format("the {} does not return a table", kind_.what), kind_.example});
  const FieldReader f(L, -1, script_.name, script_.text, kind_.what);
  std::vector<std::string> known = {"api", "name", "version", "description", "params"};
  known.insert(known.end(), kind_.functions.begin(), kind_.functions.end());
  f.only(known);
  if (!f.has("api") || f.integer("api", 1) != kScriptApi)
    f.fail("api", fmt::format("the {} is written for another interface", kind_.what), "api = 1");
  name_ = f.text("name");
  f.text("version", "");
  f.text("description", "");
  if (!f.has("params")) return;
  f.push("params");
  if (!lua_istable(L, -1))
    f.fail("params", fmt::format("{}: field 'params' is not a table", kind_.what),
           "name = { default = ..., doc = ... }");
  params_ = read_param_specs(L, -1, script_.name, script_.text);
  declared_ = LuaRef::pop(L);
}

Hook LoadedScript::function(const char* name, bool optional) const {
  Hook function;
  state_.protect([&](lua_State* L) {
    const luahost::StackGuard guard(L);
    table_.push(L);
    const FieldReader f(L, -1, script_.name, script_.text, kind_.what);
    if (optional && !f.has(name)) return;
    f.require_function(name);
    f.push(name);
    function = {LuaRef::pop(L), fmt::format("function '{}' of the {}", name, kind_.what)};
  });
  return function;
}

LuaRef LoadedScript::params_table(const Value& given) const {
  Value plain = given;
  const std::vector<GivenRows> rows = take_rows(plain, params_);
  const std::string owner = fmt::format("{} '{}'", kind_.what, name_);
  LuaRef params = table(resolve_params(params_, plain, owner, true), "the script's 'params' have");
  for (const GivenRows& r : rows) {
    const std::string what = fmt::format("parameter '{}' of {} '{}'", r.name, kind_.what, name_);
    const auto set = [&](const auto& push) {
      state_.protect([&](lua_State* L) {
        const luahost::StackGuard guard(L);
        params.push(L);
        lua_pushlstring(L, r.name.data(), r.name.size());
        push(L);
        lua_rawset(L, -3);
      });
    };
    if (r.json) {
      const nlohmann::json json = read_json_file(r.path, what);
      set([&](lua_State* L) { push_json(L, json); });
    } else {
      const CsvTable csv(r.path, what);
      set([&](lua_State* L) { push_csv_rows(L, csv); });
    }
  }
  check_params({state_, script_, declared_, params}, params_, given, owner);
  return params;
}

LuaRef LoadedScript::table(const Value& value, const char* what) const {
  return state_.make([&](lua_State* L) {
    push_value(L, value);
    refuse_unknown_fields(L, what);
  });
}

}  // namespace coslice

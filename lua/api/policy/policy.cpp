#include "api/policy/policy.h"

#include <lua.hpp>

#include <fmt/format.h>

#include "api/jobs/known_fields.h"
#include "api/policy/explaining_hooks.h"
#include "api/scripts/script_errors.h"

namespace coslice {
namespace {

constexpr long long kApi = 1;

struct HookField {
  const char* name;
  Hook PolicyHooks::*hook;
};
constexpr HookField kHooks[] = {
    {"checkpoint", &PolicyHooks::checkpoint},
    {"estimate", &PolicyHooks::estimate},
    {"key", &PolicyHooks::key},
    {"dynamic_key", &PolicyHooks::dynamic_key},
    {"may_start", &PolicyHooks::may_start},
    {"begin", &PolicyHooks::begin},
    {"submitted", &PolicyHooks::submitted},
    {"started", &PolicyHooks::started},
    {"resized", &PolicyHooks::resized},
    {"asks", &PolicyHooks::asks},
    {"ended", &PolicyHooks::ended},
    {"withdrawn", &PolicyHooks::withdrawn},
    {"schedule", &PolicyHooks::schedule},
};

std::vector<std::string> all_fields() {
  std::vector<std::string> names = {"api", "name", "version", "description", "params", "placement"};
  for (const std::string& s : setting_names()) names.push_back(s);
  for (const HookField& h : kHooks) names.emplace_back(h.name);
  for (const std::string& h : explaining_hook_names()) names.push_back(h);
  return names;
}

bool is_policy_name(const std::string& s) {
  const char* const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  return !s.empty() && s.size() <= 64 && s.find_first_not_of(allowed) == std::string::npos;
}

}  // namespace

Policy::Policy(const Script& script, const Value& params, const PolicyContext& context, bool strict_params)
    : own_state_(std::make_unique<LuaState>(context.limits)), state_(own_state_.get()), classes_(context.classes) {
  random_.emplace(*state_, context.seed, "policy");
  if (context.print) state_->set_print(context.print);
  set_module_roots(*state_, context.roots);
  const LuaRef environment = new_environment(*state_);
  random_->install(*state_, environment);
  read(run_script(*state_, script, environment), script, params, strict_params);
}

Policy::Policy(LuaState& state, const LuaRef& table, const std::string& file, const Value& params,
               const PolicyContext& context, bool strict_params)
    : state_(&state), classes_(context.classes) {
  read(table, {file, ""}, params, strict_params);
}

void Policy::read(const LuaRef& table, const Script& script, const Value& given, bool strict_params) {
  state_->protect([&](lua_State* L) {
    table.push(L);
    if (!lua_istable(L, -1)) {
      throw InputError({script.name, 0, "the policy does not return a table",
                        "return { api = 1, name = ..., version = ... }",
                        "`coslice new policy NAME` writes a working one"});
    }
    const FieldReader fields(L, -1, script.name, script.text, "policy");
    fields.only(all_fields());
    read_head(fields);
    read_params(fields, script, given, strict_params);
    settings_ =
        read_policy_settings(fields, {*state_, description_.name, description_.params, params_, given, params_table_});
    description_.settings = settings_.shown;
    description_.claims = settings_.claims;
    read_hooks(fields);
    read_where(fields);
    lua_pop(L, 1);
  });
}

void Policy::read_params(const FieldReader& fields, const Script& script, const Value& given, bool strict) {
  lua_State* const L = fields.state();
  fields.push("params");
  if (lua_istable(L, -1)) description_.params = read_param_specs(L, -1, script.name, script.text);
  else if (!lua_isnil(L, -1))
    fields.fail("params", "policy: field 'params' is not a table", "name = { default = ..., doc = ... }");
  const LuaRef declared = LuaRef::pop(L);
  const std::string owner = fmt::format("policy '{}'", description_.name);
  params_ = resolve_params(description_.params, given, owner, strict);
  push_value(L, params_);
  refuse_unknown_fields(L, "the policy's 'params' have");
  params_table_ = LuaRef::pop(L);
  check_params({*state_, script, declared, params_table_}, description_.params, given, owner);
}

void Policy::read_head(const FieldReader& fields) {
  const long long api = fields.has("api") ? fields.integer("api", 1) : 0;
  if (api != kApi) {
    fields.fail("api",
                api == 0 ? "the policy does not say which interface it is written for"
                         : fmt::format("the policy is written for interface {}", api),
                fmt::format("api = {}", kApi));
  }
  description_.name = fields.text("name");
  if (!is_policy_name(description_.name))
    fields.fail("name", fmt::format("\"{}\" is not a name for a policy", description_.name),
                "letters, digits, '_', '-', '.'");
  description_.version = fields.text("version");
  description_.description = fields.text("description", "");
}

void Policy::read_where(const FieldReader& fields) {
  if (!fields.has("placement")) return;
  placement_ = read_placement(fields, description_.name);
  description_.settings.push_back("placement = " + placement_->text);
}

void Policy::read_hooks(const FieldReader& fields) {
  for (const HookField& h : kHooks) {
    if (!fields.has(h.name)) continue;
    fields.require_function(h.name);
    fields.push(h.name);
    (hooks_.*h.hook).function = LuaRef::pop(fields.state());
    (hooks_.*h.hook).label = fmt::format("hook '{}' of policy '{}'", h.name, description_.name);
    description_.hooks.emplace_back(h.name);
  }
  for (std::string& h : keep_explaining_hooks(fields, params_table_)) description_.hooks.push_back(std::move(h));
}

}  // namespace coslice

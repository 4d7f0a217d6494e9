#include "api/policy.h"

#include <lua.hpp>

#include <fmt/format.h>

#include "api/claims.h"
#include "api/known_fields.h"
#include "api/script_text.h"
#include "host/call.h"
#include "host/guard.h"

namespace coslice {

namespace {

constexpr long long kApi = 1;

const std::vector<std::string>& setting_names() {
  static const std::vector<std::string> names = {"order", "descending", "backfill", "reservations", "depth", "compress",
                                                 "share", "slices",     "sharing",  "coscheduling", "claims"};
  return names;
}

struct HookField {
  const char* name;
  Hook PolicyHooks::*hook;
};
constexpr HookField kHooks[] = {
    {"estimate", &PolicyHooks::estimate},   {"key", &PolicyHooks::key},     {"dynamic_key", &PolicyHooks::dynamic_key},
    {"may_start", &PolicyHooks::may_start}, {"begin", &PolicyHooks::begin}, {"submitted", &PolicyHooks::submitted},
    {"started", &PolicyHooks::started},     {"ended", &PolicyHooks::ended}, {"schedule", &PolicyHooks::schedule},
};

std::vector<std::string> all_fields() {
  std::vector<std::string> names = {"api", "name", "version", "description", "params"};
  names.insert(names.end(), setting_names().begin(), setting_names().end());
  for (const HookField& h : kHooks) names.emplace_back(h.name);
  return names;
}

bool is_policy_name(const std::string& s) {
  const char* const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  return !s.empty() && s.size() <= 64 && s.find_first_not_of(allowed) == std::string::npos;
}

/// Settings that would be ignored are mistakes.
void check_conflicts(const FieldReader& f) {
  const auto not_with = [&](const char* field, const char* other, bool clash) {
    if (clash && f.has(field)) f.fail(field, fmt::format("policy: field '{}' has no effect {}", field, other));
  };
  const bool own_pass = f.has("schedule");
  for (const char* field : {"backfill", "reservations", "depth", "compress", "may_start"})
    not_with(field, "when 'schedule' takes over the pass", own_pass);
  not_with("share", "without 'dynamic_key'", !f.has("dynamic_key"));
  not_with("key", "beside 'dynamic_key'", f.has("dynamic_key"));
  not_with("order", "beside 'key' or 'dynamic_key'", f.has("key") || f.has("dynamic_key"));
  const std::string backfill = f.has("backfill") ? f.text("backfill") : "none";
  for (const char* field : {"reservations", "depth"})
    not_with(field, "without backfill = \"easy\"", backfill != "easy");
  not_with("compress", "without backfill = \"conservative\"", backfill != "conservative");
  for (const char* field : {"key", "dynamic_key", "order", "may_start", "schedule", "slices", "reservations", "depth"})
    not_with(field, "beside 'coscheduling'", f.has("coscheduling"));
  if (f.has("coscheduling") && backfill == "conservative")
    f.fail("backfill", "policy: coscheduling knows no conservative backfilling", "\"easy\" or \"none\"");
  for (const char* field : {"slices", "sharing", "coscheduling"}) {
    if (f.has("estimate") && f.has(field))
      f.fail("estimate",
             fmt::format("policy: field 'estimate' does not work beside '{}', where only limits are known", field));
  }
  not_with("may_start", "with backfill = \"conservative\": reservations are kept", backfill == "conservative");
}

}  // namespace

Policy::Policy(const Script& script, const Value& params, const PolicyContext& context, bool strict_params)
    : own_state_(std::make_unique<LuaState>(context.limits)), state_(own_state_.get()), classes_(context.classes) {
  random_.emplace(*state_, context.seed, "policy");
  if (context.print) state_->set_print(context.print);
  set_module_roots(*state_, context.roots);
  const LuaRef environment = new_environment(*state_);
  random_->install(*state_, environment);
  table_ = run_script(*state_, script, environment);
  state_->protect([&](lua_State* L) { read(L, script, params, strict_params); });
}

Policy::Policy(LuaState& state, const LuaRef& table, const std::string& file, const Value& params,
               const PolicyContext& context, bool strict_params)
    : state_(&state), classes_(context.classes) {
  state.protect([&](lua_State* L) {
    // Reading replaces settings that are functions: do it in a copy.
    lua_newtable(L);
    table.push(L);
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) {
      lua_pushvalue(L, -2);
      lua_insert(L, -2);
      lua_rawset(L, -5);
    }
    lua_pop(L, 1);
    table_ = LuaRef::pop(L);
    read(L, {file, ""}, params, strict_params);
  });
}

void Policy::read(lua_State* L, const Script& script, const Value& given, bool strict_params) {
  table_.push(L);
  if (!lua_istable(L, -1)) {
    throw InputError({script.name, 0, "the policy returns no table", "return { api = 1, name = ..., version = ... }",
                      "`coslice new policy NAME` writes a working one", ""});
  }
  const FieldReader fields(L, -1, script.name, script.text, "policy");
  fields.only(all_fields());
  read_head(fields);
  if (fields.has("params")) {
    fields.push("params");
    if (!lua_istable(L, -1))
      fields.fail("params", "policy: field 'params' is not a table", "name = { default = ..., doc = ... }");
    description_.params = read_param_specs(L, -1, script.name, script.text);
    lua_pop(L, 1);
  }
  params_ = resolve_params(description_.params, given, fmt::format("policy '{}'", description_.name), strict_params);
  push_value(L, params_);
  refuse_unknown_fields(L, "the policy's 'params' have");
  params_table_ = LuaRef::pop(L);
  try {
    ask_settings(fields);
    check_conflicts(fields);
    read_settings(fields);
  } catch (const InputError& e) {
    blame_params(e, given);
    throw;
  }
  read_hooks(fields);
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
    fields.fail("name", fmt::format("\"{}\" is no name for a policy", description_.name),
                "letters, digits, '_', '-', '.'");
  description_.version = fields.text("version");
  description_.description = fields.text("description", "");
}

/// A setting that was computed from parameters which were set explicitly is wrong where they are set.
void Policy::blame_params(const InputError& e, const Value& given) const {
  if (!computed_) return;
  std::string values;
  const Value* first = nullptr;
  for (const ParamSpec& p : description_.params) {
    const Value* v = given.find(p.name);
    if (v == nullptr) continue;
    if (first == nullptr) first = v;
    values += fmt::format("{}{} = {}", values.empty() ? "" : ", ", p.name, shown(*params_.find(p.name)));
  }
  if (first == nullptr) return;
  const Diagnostic& d = e.diagnostic();
  Diagnostic blamed;
  if (first->place.source) blamed.file = first->place.source->name;
  blamed.line = first->place.line;
  blamed.problem = fmt::format("policy '{}' cannot work with {}: {}", description_.name, values, d.problem);
  blamed.expected = d.expected;
  blamed.suggestion = d.suggestion;
  blamed.detail = fmt::format("  noticed at {}:{}", d.file, d.line);
  throw InputError(blamed);
}

/// Replaces settings that are functions by what they return for the parameters.
void Policy::ask_settings(const FieldReader& fields) {
  lua_State* L = fields.state();
  for (const std::string& name : setting_names()) {
    fields.push(name.c_str());
    if (!lua_isfunction(L, -1)) {
      lua_pop(L, 1);
      continue;
    }
    const LuaRef function = LuaRef::pop(L);
    computed_ = true;
    const std::string label = fmt::format("setting '{}' of policy '{}'", name, description_.name);
    LuaRef answer;
    {
      Call call(*state_, function, label);
      call.push(params_table_).invoke(1);
      answer = call.value(1);
    }
    table_.push(L);
    answer.push(L);
    lua_setfield(L, -2, name.c_str());
    lua_pop(L, 1);
  }
}

void Policy::read_settings(const FieldReader& f) {
  const auto said = [&](const char* name, const std::string& value) {
    description_.settings.push_back(fmt::format("{} = {}", name, value));
    return value;
  };
  if (f.has("order")) {
    const std::string order = said("order", f.choice("order", {"submit", "duration", "nodes", "area"}));
    options_.order = order == "submit"     ? QueueOrder::kSubmit
                     : order == "duration" ? QueueOrder::kDuration
                     : order == "nodes"    ? QueueOrder::kNodes
                                           : QueueOrder::kArea;
  }
  if (f.has("descending")) options_.descending = said("descending", f.flag("descending") ? "true" : "false") == "true";
  if (f.has("backfill")) {
    const std::string backfill = said("backfill", f.choice("backfill", {"none", "easy", "conservative"}));
    options_.backfill = backfill == "none"   ? Backfill::kNone
                        : backfill == "easy" ? Backfill::kEasy
                                             : Backfill::kConservative;
  }
  if (f.has("reservations")) {
    options_.easy.reservations = static_cast<std::size_t>(f.integer("reservations", 0));
    said("reservations", fmt::format("{}", options_.easy.reservations));
  }
  if (f.has("depth")) {
    const long long depth = f.integer("depth", 0);
    if (depth > 0) options_.easy.depth = static_cast<std::size_t>(depth);
    said("depth", fmt::format("{}", depth));
  }
  if (f.has("slices")) {
    const luahost::StackGuard guard(f.state());
    f.push("slices");
    if (!lua_istable(f.state(), -1))
      f.fail("slices", "policy: field 'slices' is not a table", "{ classes = { ... }, ... }");
    slices_ = read_slices(f, description_.name);
    const std::size_t n = slices_->options.classes.size();
    said("slices", fmt::format("{} class{}", n, n == 1 ? "" : "es"));
  }
  if (f.has("share")) {
    const luahost::StackGuard guard(f.state());
    f.push("share");
    if (!lua_istable(f.state(), -1))
      f.fail("share", "policy: field 'share' is not a table",
             "{ by = \"user\", of = function(user, now, params) ... end }");
    share_ = read_share(f, description_.name);
    said("share", "by " + share_->by);
  }
  if (f.has("sharing")) {
    const luahost::StackGuard guard(f.state());
    f.push("sharing");
    if (!lua_istable(f.state(), -1))
      f.fail("sharing", "policy: field 'sharing' is not a table",
             "{ alone = function(job, params) ... end, shared = ... }");
    sharing_ = read_sharing(f, description_.name);
    said("sharing", "two jobs on a node");
  }
  if (f.has("coscheduling")) {
    const luahost::StackGuard guard(f.state());
    f.push("coscheduling");
    if (!lua_istable(f.state(), -1))
      f.fail("coscheduling", "policy: field 'coscheduling' is not a table", "{ modes = { ... }, ... }");
    coscheduling_ = read_coscheduling(f, description_.name);
    said("coscheduling", fmt::format("{} modes", coscheduling_->rules.modes.size()));
  }
  if (f.has("claims")) {
    description_.claims = read_claims(f, slices_ ? "time slices" : coscheduling_ ? "coscheduling" : "");
    std::string names;
    for (const std::string& name : description_.claims.names()) names += (names.empty() ? "" : ", ") + name;
    said("claims", names);
  }
  if (f.has("compress")) {
    const std::string compress = said("compress", f.choice("compress", {"queue", "start"}));
    options_.compress = compress == "queue" ? CompressOrder::kQueue : CompressOrder::kReservedStart;
  }
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
}

}  // namespace coslice

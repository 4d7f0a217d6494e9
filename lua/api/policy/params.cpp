#include "api/policy/params.h"

#include <algorithm>
#include <cmath>
#include <lua.hpp>

#include <fmt/format.h>

#include "api/scripts/script_errors.h"
#include "core/error.h"
#include "core/portable_math.h"
#include "host/call.h"
#include "host/guard.h"

namespace coslice {
namespace {

/// A number of either type, or NaN.
double number_of(const Value& v) {
  if (const auto* i = v.integer()) return static_cast<double>(*i);
  if (const auto* d = v.real()) return *d;
  return std::nan("");
}

bool is_number(const Value& v) { return v.integer() != nullptr || v.real() != nullptr; }

Value read_default(const FieldReader& fields) {
  lua_State* L = fields.state();
  const luahost::StackGuard guard(L);
  fields.push("default");
  switch (lua_type(L, -1)) {
    case LUA_TBOOLEAN: return Value(lua_toboolean(L, -1) != 0);
    case LUA_TSTRING: return Value(std::string(lua_tostring(L, -1)));
    case LUA_TNUMBER:
      if (lua_isinteger(L, -1)) return Value(static_cast<std::int64_t>(lua_tointeger(L, -1)));
      return Value(static_cast<double>(lua_tonumber(L, -1)));
    default: fields.fail("default", "a parameter has no usable default", "true, false, a number or a text");
  }
}

std::vector<std::string> read_choices(const FieldReader& fields) {
  lua_State* L = fields.state();
  const luahost::StackGuard guard(L);
  std::vector<std::string> choices;
  fields.push("choices");
  if (lua_isnil(L, -1)) return choices;
  const lua_Integer n = lua_istable(L, -1) ? static_cast<lua_Integer>(lua_rawlen(L, -1)) : 0;
  for (lua_Integer i = 1; i <= n; ++i) {
    if (lua_rawgeti(L, -1, i) != LUA_TSTRING) break;
    choices.emplace_back(lua_tostring(L, -1));
    lua_pop(L, 1);
  }
  if (n == 0 || std::ssize(choices) != n) fields.fail("choices", "'choices' is not a list of texts", "a list of texts");
  return choices;
}

ParamSpec read_spec(lua_State* L, const std::string& name, const std::string& file, const std::string& text) {
  const std::string what = fmt::format("parameter '{}'", name);
  if (!lua_istable(L, -1)) {
    throw InputError({file, line_of_field(text, name), what + " is not a table", "{ default = ..., doc = \"...\" }"});
  }
  const FieldReader fields(L, -1, file, text, what);
  fields.only({"default", "min", "max", "integer", "choices", "check", "doc"});
  ParamSpec spec;
  spec.name = name;
  spec.fallback = read_default(fields);
  const bool number = is_number(spec.fallback);
  for (const char* only_numbers : {"min", "max", "integer"})
    if (!number && fields.has(only_numbers))
      fields.fail(name, fmt::format("{}: '{}' is for numbers", what, only_numbers));
  if (fields.has("min")) spec.min = fields.number("min");
  if (fields.has("max")) spec.max = fields.number("max");
  if (fields.has("integer")) spec.integer = fields.flag("integer");
  if (fields.has("choices") && spec.fallback.text() == nullptr) fields.fail(name, what + ": 'choices' is for texts");
  spec.choices = read_choices(fields);
  spec.doc = fields.text("doc");
  spec.checked = fields.has("check");
  if (spec.checked) fields.require_function("check");
  if (!spec.accepts(spec.fallback))
    fields.fail(name, fmt::format("{}: its default is {}", what, shown(spec.fallback)), spec.expected());
  return spec;
}

}  // namespace

std::string shown(const Value& v) {
  if (const auto* s = v.text()) return fmt::format("\"{}\"", *s);
  if (const auto* b = v.flag()) return *b ? "true" : "false";
  if (const auto* i = v.integer()) return fmt::format("{}", *i);
  if (const auto* d = v.real()) return fmt::format("{}", *d);
  return kind_name(v);
}

std::string ParamSpec::expected() const {
  if (fallback.flag() != nullptr) return "true or false";
  if (fallback.text() != nullptr) {
    return choices.empty() ? "a text" : fmt::format("one of \"{}\"", fmt::join(choices, "\", \""));
  }
  const std::string kind = integer ? "a whole number" : "a number";
  if (min && max) return fmt::format("{} from {} to {}", kind, *min, *max);
  if (min) return fmt::format("{} of at least {}", kind, *min);
  if (max) return fmt::format("{} of at most {}", kind, *max);
  return kind;
}

bool ParamSpec::accepts(const Value& v) const {
  if (fallback.flag() != nullptr) return v.flag() != nullptr;
  if (fallback.text() != nullptr) {
    const std::string* s = v.text();
    return s != nullptr && (choices.empty() || std::ranges::find(choices, *s) != choices.end());
  }
  const double x = number_of(v);
  if (std::isnan(x) || (integer && v.integer() == nullptr && !exact_whole<std::int64_t>(x))) return false;
  return (!min || x >= *min) && (!max || x <= *max);
}

std::vector<ParamSpec> read_param_specs(lua_State* L, int index, const std::string& file, const std::string& text) {
  const luahost::StackGuard guard(L);
  index = lua_absindex(L, index);
  std::vector<std::string> names;
  lua_pushnil(L);
  while (lua_next(L, index) != 0) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING)
      throw InputError(
          {file, line_of_field(text, "params"), "a parameter has no name", "name = { default = ..., doc = ... }"});
    names.emplace_back(lua_tostring(L, -1));
  }
  std::ranges::sort(names);
  std::vector<ParamSpec> specs;
  for (const std::string& name : names) {
    lua_pushlstring(L, name.data(), name.size());
    lua_rawget(L, index);
    specs.push_back(read_spec(L, name, file, text));
    lua_pop(L, 1);
  }
  return specs;
}

void check_param_names(const Value& given, const std::vector<std::string>& declared, const std::string& owner) {
  if (given.members() == nullptr) return;
  for (const Member& m : *given.members()) {
    if (std::ranges::find(declared, m.key) != declared.end()) continue;
    const std::string known =
        declared.empty() ? "none: it has no parameters" : fmt::format("one of {}", fmt::join(declared, ", "));
    fail_at(m.value.place, fmt::format("{} has no parameter '{}'", owner, m.key), known, did_you_mean(m.key, declared));
  }
}

Value resolve_params(const std::vector<ParamSpec>& specs, const Value& given, const std::string& owner, bool strict) {
  if (strict) {
    std::vector<std::string> names;
    for (const ParamSpec& s : specs) names.push_back(s.name);
    check_param_names(given, names, owner);
  }
  Value resolved = Value::table();
  for (const ParamSpec& s : specs) {
    const Value* v = given.find(s.name);
    if (v == nullptr) {
      resolved.set(s.name, s.fallback);
      continue;
    }
    if (!s.accepts(*v)) {
      fail_at(v->place, fmt::format("parameter '{}' of {} is {}", s.name, owner, shown(*v)), s.expected(),
              v->text() != nullptr ? did_you_mean(*v->text(), s.choices) : "");
    }
    // A whole number that is written as 2.0, or a number that is written as 2: of the type of the default.
    if (s.fallback.real() != nullptr) resolved.set(s.name, Value(number_of(*v)));
    else if (s.integer && v->real() != nullptr) resolved.set(s.name, Value(truncated<std::int64_t>(*v->real())));
    else resolved.set(s.name, *v);
  }
  return resolved;
}

void check_params(const ParamChecks& checks, const std::vector<ParamSpec>& specs, const Value& given,
                  const std::string& owner) {
  for (const ParamSpec& s : specs) {
    if (!s.checked) continue;
    LuaRef function, value;
    std::string text;
    checks.state.protect([&](lua_State* L) {
      const luahost::StackGuard guard(L);
      checks.declared.push(L);
      lua_getfield(L, -1, s.name.c_str());
      lua_getfield(L, -1, "check");
      function = LuaRef::pop(L);
      checks.values.push(L);
      lua_getfield(L, -1, s.name.c_str());
      if (lua_type(L, -1) == LUA_TSTRING) text = fmt::format("\"{}\"", lua_tostring(L, -1));
      value = LuaRef::pop(L);
    });
    const std::string label = fmt::format("the check of parameter '{}' of {}", s.name, owner);  // outlives the call
    Call call(checks.state, function, label);
    call.push(value).push(checks.values).invoke(1);
    if (call.is_nil(1)) continue;
    const std::string expected = call.string(1);
    const Value* const v = given.find(s.name);
    if (v == nullptr)
      throw InputError({checks.script.name, line_of_field(checks.script.text, s.name),
                        fmt::format("parameter '{}': its default is {}", s.name, shown(s.fallback)), expected});
    fail_at(v->place, fmt::format("parameter '{}' of {} is {}", s.name, owner, text.empty() ? shown(*v) : text),
            expected);
  }
}

void push_value(lua_State* L, const Value& v) {
  luaL_checkstack(L, 3, "value nested too deeply");
  if (const auto* b = v.flag()) lua_pushboolean(L, *b ? 1 : 0);
  else if (const auto* i = v.integer()) lua_pushinteger(L, *i);
  else if (const auto* d = v.real()) lua_pushnumber(L, *d);
  else if (const auto* s = v.text()) lua_pushlstring(L, s->data(), s->size());
  else if (const auto* list = v.list()) {
    lua_createtable(L, static_cast<int>(list->size()), 0);
    lua_Integer n = 0;
    for (const Value& item : *list) {
      push_value(L, item);
      lua_rawseti(L, -2, ++n);
    }
  } else if (const auto* members = v.members()) {
    lua_createtable(L, 0, static_cast<int>(members->size()));
    for (const Member& m : *members) {
      lua_pushlstring(L, m.key.data(), m.key.size());
      push_value(L, m.value);
      lua_rawset(L, -3);
    }
  } else {
    lua_pushnil(L);
  }
}

}  // namespace coslice

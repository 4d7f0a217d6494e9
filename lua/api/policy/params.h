// Parameters of scripts: what a policy or a workload script declares, and what a scenario sets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/value.h"
#include "host/script.h"
#include "host/state.h"

struct lua_State;

namespace coslice {

/// One declared parameter. Its type is that of its default: a flag, a number or a text.
struct ParamSpec {
  std::string name;
  Value fallback;                    ///< the default
  std::optional<double> min, max;    ///< numbers only
  bool integer = false;              ///< numbers only: whole ones
  std::vector<std::string> choices;  ///< texts only; empty: any
  bool checked = false;              ///< its declaration has a function `check`
  std::string doc;

  /// Returns in words which values the parameter takes: "a whole number from 0 to 10", "one of 'a', 'b'".
  std::string expected() const;
  /// Returns whether the value is of the right type and in range.
  bool accepts(const Value& v) const;
};

/// Returns the value as a person would write it, for messages.
std::string shown(const Value& v);

/// Reads the declaration `params = { name = { default = ..., ... } }` at the stack index; sorted by name.
/// `file` and `text` are the script, for messages. Throws InputError. Call it inside LuaState::protect.
std::vector<ParamSpec> read_param_specs(lua_State* L, int index, const std::string& file, const std::string& text);

/// Defaults overlaid with what `given` (a table) sets. Throws InputError at the place of a value that is out of range
/// or of another type. Names that are not declared: an error if `strict`, else left out.
Value resolve_params(const std::vector<ParamSpec>& specs, const Value& given, const std::string& owner, bool strict);

/// Throws InputError at the place of a name in `given` that none of the declared names is.
void check_param_names(const Value& given, const std::vector<std::string>& declared, const std::string& owner);

/// What checks of parameters need to be asked: the table that declares them, and the values as scripts get them.
struct ParamChecks {
  LuaState& state;
  const Script& script;
  const LuaRef& declared;
  const LuaRef& values;
};

/// Asks the function `check` of each parameter that has one. Throws InputError at the place of a value that it does not
/// take, or at the declaration where it does not take the default.
void check_params(const ParamChecks& checks, const std::vector<ParamSpec>& specs, const Value& given,
                  const std::string& owner);

/// Pushes the value onto the stack; tables become Lua tables. Call it inside LuaState::protect.
void push_value(lua_State* L, const Value& v);

}  // namespace coslice

// A script that is no policy: what workload, job, slowdown and program scripts have in common. Each returns a table
// with api, name, version, description and params, and functions of its kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/policy/hook.h"
#include "api/policy/params.h"
#include "api/scripts/random_library.h"
#include "host/limits.h"
#include "host/script.h"
#include "host/state.h"

namespace coslice {

struct ScriptContext {
  Limits limits;
  std::uint64_t seed = 1;         ///< of its random numbers
  std::vector<ModuleRoot> roots;  ///< where `require` looks
};

/// Makes the context of a script that a scenario names: modules lie beside its file.
ScriptContext script_context(const std::string& path, const Limits& limits, std::uint64_t seed);

struct ScriptKind {
  const char* what;                    ///< "workload script"
  const char* stream;                  ///< purpose of its random numbers; "": it has none
  const char* example;                 ///< what it returns
  std::vector<std::string> functions;  ///< fields for them
};

/// Returns what a script of that kind declares, without calling its function. Throws InputError.
std::vector<ParamSpec> declared_params(const Script& script, const ScriptContext& context, const ScriptKind& kind);

class LoadedScript {
 public:
  /// Loads and checks the script, calling nothing but the file itself. Throws InputError. `quiet`: what it prints goes
  /// nowhere.
  LoadedScript(Script script, const ScriptContext& context, const ScriptKind& kind, bool quiet = false);

  const Script& script() const { return script_; }
  LuaState& state() const { return state_; }
  RandomLibrary& random() { return *random_; }
  const std::string& name() const { return name_; }
  const std::vector<ParamSpec>& params() const { return params_; }

  /// Returns the function of that name; without one an InputError, or nothing if it is `optional`.
  Hook function(const char* name, bool optional = false) const;
  /// Returns the parameters for its functions: what is given, checked, and else what is declared. Throws InputError.
  LuaRef params_table(const Value& given) const;
  /// Returns a table that the script may read: an unknown field is an error, which begins with `what`.
  LuaRef table(const Value& value, const char* what) const;

 private:
  void read(lua_State* L);

  Script script_;
  const ScriptKind& kind_;
  mutable LuaState state_;
  std::optional<RandomLibrary> random_;
  LuaRef table_, declared_;
  std::string name_;
  std::vector<ParamSpec> params_;
};

}  // namespace coslice

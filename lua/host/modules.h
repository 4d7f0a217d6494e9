// The modules behind `require`: where they are, which ones a script names, which ones a state has loaded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/script.h"

namespace coslice {

/// Letters, digits, _ and -, in parts divided by single dots: nothing that could leave a root.
bool is_module_name(const std::string& name);

/// Returns the module in the first of the roots that has it. Throws InputError if its file cannot be read.
std::optional<Script> find_module(const std::vector<ModuleRoot>& roots, const std::string& name);

/// Returns the modules that a script, or one of these, takes in by a name that is written down, as in `require
/// "shares"`: each once, in the order in which they are named. Those that no root has are left out. Nothing is run.
/// Throws as find_module does.
std::vector<Script> named_modules(const Script& script, const std::vector<ModuleRoot>& roots);

/// Returns the modules that the state has loaded so far, in that order.
const std::vector<Script>& loaded_modules(LuaState& state);

}  // namespace coslice

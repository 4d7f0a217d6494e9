// Scripts: text to functions and values, and where `require` finds modules.
#pragma once

#include <string>
#include <vector>

#include "host/ref.h"

namespace coslice {

class LuaState;

/// Where `require` looks. Either a folder, or a set of embedded files ("lib/", "policies/").
struct ModuleRoot {
  std::string folder;    ///< a folder of the file system, or
  std::string embedded;  ///< a prefix of the names in host/embedded.h
  std::string shown;     ///< how errors name it
};

/// The source of a script. Lua text only, never bytecode.
struct Script {
  std::string name;  ///< as errors show it, usually the path that the user gave
  std::string text;
};

/// Reads a file. Throws InputError if it cannot be read.
Script read_script(const std::string& path);

/// Returns a fresh table of globals: the sandbox's libraries, and room for what the script defines. Scripts with tables
/// of their own do not see each other's globals.
LuaRef new_environment(LuaState& state);

/// Sets a global of an environment.
void set_global(LuaState& state, const LuaRef& environment, const char* name, const LuaRef& value);

/// Compiles a script into a function without running it. Throws InputError with file and line.
LuaRef compile(LuaState& state, const Script& script, const LuaRef& environment);

/// Compiles and runs a script in a fresh environment; gives the (first) value that it returns, empty if none.
/// Everything that goes wrong is an InputError with file, line and traceback: this is for loading.
LuaRef run_script(LuaState& state, const Script& script);
/// Runs a script in a given environment.
LuaRef run_script(LuaState& state, const Script& script, const LuaRef& environment);

/// Sets where `require` looks, in this order. Modules that were loaded before stay loaded.
void set_module_roots(LuaState& state, std::vector<ModuleRoot> roots);

}  // namespace coslice

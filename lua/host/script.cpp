#include "host/script.h"

#include <cstring>

#include "core/error.h"
#include "core/file.h"
#include "host/call.h"
#include "host/core.h"
#include "host/sandbox.h"

namespace coslice {

using namespace luahost;

Script read_script(const std::string& path) {
  Script script{path, ""};
  if (const int failed = append_file(script.text, path); failed != 0)
    throw InputError({path, 0, std::string("cannot be read: ") + std::strerror(failed), "a Lua script"});
  if (script.text.rfind("\xEF\xBB\xBF", 0) == 0) script.text.erase(0, 3);
  if (script.text.rfind('#', 0) == 0) script.text.insert(0, "--");  // a first line for the shell
  return script;
}

namespace luahost {

/// Lua shows at most LUA_IDSIZE - 1 bytes of a file name, the last ones behind "...".
void note_long_name(Core& core, const std::string& name) {
  constexpr std::size_t kMost = LUA_IDSIZE - 1;
  if (name.size() > kMost) core.long_names["..." + name.substr(name.size() - (kMost - 3))] = name;
}

void push_chunk(lua_State* L, const Script& script, int environment) {
  environment = lua_absindex(L, environment);
  note_long_name(core_of(L), script.name);
  const std::string chunk_name = "@" + script.name;
  if (luaL_loadbufferx(L, script.text.data(), script.text.size(), chunk_name.c_str(), "t") != LUA_OK) lua_error(L);
  lua_pushvalue(L, environment);
  if (lua_setupvalue(L, -2, 1) == nullptr) lua_pop(L, 1);
}

}  // namespace luahost

LuaRef new_environment(LuaState& state) {
  return state.make([](lua_State* L) { push_environment(L); });
}

void set_global(LuaState& state, const LuaRef& environment, const char* name, const LuaRef& value) {
  state.protect([&](lua_State* L) {
    environment.push(L);
    value.push(L);
    lua_setfield(L, -2, name);
  });
}

namespace {

/// Loading is where errors of a script are bad input.
[[noreturn]] void rethrow_as_input(const ScriptError& e, const Script& script) {
  Diagnostic d = e.diagnostic();
  if (d.file.empty()) d.file = script.name;
  throw InputError(std::move(d));
}

}  // namespace

LuaRef compile(LuaState& state, const Script& script, const LuaRef& environment) {
  try {
    return state.make([&](lua_State* L) {
      environment.push(L);
      push_chunk(L, script, -1);
    });
  } catch (const ScriptError& e) {
    Diagnostic d = e.diagnostic();
    d.detail.clear();  // a syntax error has no calls worth showing
    rethrow_as_input(ScriptError(std::move(d)), script);
  }
}

LuaRef run_script(LuaState& state, const Script& script) { return run_script(state, script, new_environment(state)); }

LuaRef run_script(LuaState& state, const Script& script, const LuaRef& environment) {
  const LuaRef function = compile(state, script, environment);
  const std::string label;
  try {
    Call call(state, function, label);
    call.invoke(1);
    return call.value(1);
  } catch (const ScriptError& e) {
    rethrow_as_input(e, script);
  }
}

void set_module_roots(LuaState& state, std::vector<ModuleRoot> roots) { state.core().roots = std::move(roots); }

}  // namespace coslice

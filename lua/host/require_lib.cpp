// require: modules from the roots that the embedder gave, each loaded once, in the sandbox.
#include <algorithm>
#include <optional>
#include <string>

#include "host/core.h"
#include "host/modules.h"
#include "host/sandbox.h"

namespace coslice::luahost {
namespace {

const char kLoaded = 0;  ///< registry key of the table: name -> value of the module

/// Notes a module while its chunk runs.
class Loading {
 public:
  Loading(Core& core, const std::string& name) : core_(core) { core_.loading.push_back(name); }
  ~Loading() { core_.loading.pop_back(); }
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;

 private:
  Core& core_;
};

Script find_module_or_fail(lua_State* L, const std::string& name) {
  const std::vector<ModuleRoot>& roots = core_of(L).roots;
  if (std::optional<Script> found = find_module(roots, name)) return std::move(*found);
  std::string searched;
  for (const ModuleRoot& root : roots) {
    const std::string& shown = root.shown.empty() ? root.folder + root.embedded : root.shown;
    searched += (searched.empty() ? "" : ", ") + shown;
  }
  luaL_error(L, "module '%s' not found; searched %s", name.c_str(),
             searched.empty() ? "nowhere: no module folders are set here" : searched.c_str());
  return {};
}

/// Stack: 1 the name, 2 the table of loaded modules.
void load_module(lua_State* L, const std::string& name) {
  Core& core = core_of(L);
  if (std::find(core.loading.begin(), core.loading.end(), name) != core.loading.end()) {
    luaL_error(L, "module '%s' requires itself, directly or through others", name.c_str());
  }
  const Script script = find_module_or_fail(L, name);
  core.modules.push_back(script);
  Loading loading(core, name);
  push_environment(L);
  push_chunk(L, script, -1);
  lua_call(L, 0, 1);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_pushboolean(L, 1);
  }
  lua_pushvalue(L, -1);
  lua_setfield(L, 2, name.c_str());
}

int require(lua_State* L) {
  std::size_t size = 0;
  const char* text = luaL_checklstring(L, 1, &size);
  const std::string name(text, size);
  if (!is_module_name(name)) {
    return luaL_error(L, "bad module name '%s'; a name is letters, digits, '_' and '-', folders divided by dots",
                      name.c_str());
  }
  lua_settop(L, 1);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &kLoaded);
  if (lua_getfield(L, 2, name.c_str()) != LUA_TNIL) return 1;
  lua_pop(L, 1);
  load_module(L, name);
  return 1;
}

}  // namespace

void install_require(lua_State* L) {
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kLoaded);
  lua_pushcfunction(L, guarded<require>);
  lua_setfield(L, -2, "require");
}

}  // namespace coslice::luahost

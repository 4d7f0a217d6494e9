// require: modules from the roots that the embedder gave, each loaded once, in the sandbox.
#include <algorithm>
#include <filesystem>
#include <string>

#include "host/core.h"
#include "host/embedded.h"
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

/// Letters, digits and _, in parts divided by single dots: nothing that could leave a root.
bool is_module_name(const std::string& name) {
  bool part_begins = true;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
    const bool digit = c >= '0' && c <= '9';
    if (c == '.' ? part_begins : !letter && !digit) return false;
    part_begins = c == '.';
  }
  return !part_begins;
}

std::string relative_path(std::string name) {
  for (char& c : name) {
    if (c == '.') c = '/';
  }
  return name + ".lua";
}

/// A link may lead out of its root; then the module is not in the root.
bool lies_inside(const std::filesystem::path& file, const std::filesystem::path& root) {
  std::error_code failed;
  const auto real_file = std::filesystem::canonical(file, failed);
  if (failed) return false;
  const auto real_root = std::filesystem::canonical(root, failed);
  if (failed) return false;
  const auto relative = real_file.lexically_relative(real_root);
  return !relative.empty() && *relative.begin() != "..";
}

bool find_in(const ModuleRoot& root, const std::string& path, Script& found) {
  if (!root.embedded.empty()) {
    const EmbeddedFile* file = find_embedded(root.embedded + path);
    if (file == nullptr) return false;
    found = {std::string(file->name), std::string(file->text)};
    return true;
  }
  const std::filesystem::path file = std::filesystem::path(root.folder) / path;
  if (!std::filesystem::is_regular_file(file) || !lies_inside(file, root.folder)) return false;
  found = read_script(file.string());
  return true;
}

Script find_module(lua_State* L, const std::string& name) {
  std::string searched;
  Script script;
  for (const ModuleRoot& root : core_of(L).roots) {
    if (find_in(root, relative_path(name), script)) return script;
    const std::string& shown = root.shown.empty() ? root.folder + root.embedded : root.shown;
    searched += (searched.empty() ? "" : ", ") + shown;
  }
  luaL_error(L, "module '%s' not found; searched %s", name.c_str(),
             searched.empty() ? "nowhere: no module folders are set here" : searched.c_str());
  return script;
}

/// Stack: 1 the name, 2 the table of loaded modules.
void load_module(lua_State* L, const std::string& name) {
  Core& core = core_of(L);
  if (std::find(core.loading.begin(), core.loading.end(), name) != core.loading.end()) {
    luaL_error(L, "module '%s' requires itself, directly or through others", name.c_str());
  }
  const Script script = find_module(L, name);
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

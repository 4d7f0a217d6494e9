#include "host/modules.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "host/bind.h"
#include "host/core.h"
#include "host/embedded.h"
#include "host/sandbox.h"

namespace coslice {

using namespace luahost;

namespace {

std::string relative_path(std::string name) {
  std::ranges::replace(name, '.', '/');
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

std::optional<Script> find_in(const ModuleRoot& root, const std::string& path) {
  if (!root.embedded.empty()) {
    const EmbeddedFile* file = find_embedded(root.embedded + path);
    if (file == nullptr) return {};
    return Script{std::string(file->name), std::string(file->text)};
  }
  const std::filesystem::path file = std::filesystem::path(root.folder) / path;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored) || !lies_inside(file, root.folder)) return {};
  return read_script(file.string());
}

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// What follows a `require`: the text between quotes or long brackets, perhaps in parentheses; "" if it is anything
/// else.
std::string literal_at(std::string_view text) {
  const auto skip = [&](std::string_view characters) {
    text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
  };
  skip(" \t\r\n(");
  std::string_view end = "]]";
  if (text.substr(0, 1) == "\"" || text.substr(0, 1) == "'") end = text.substr(0, 1);
  else if (text.substr(0, 2) != "[[") return "";
  text.remove_prefix(end.size());
  return std::string(text.substr(0, text.find(end)));
}

/// Names in comments count as well: one module too many does no harm.
std::vector<std::string> names_in(std::string_view text) {
  constexpr std::string_view kWord = "require";
  std::vector<std::string> names;
  for (std::size_t at = text.find(kWord); at != std::string_view::npos; at = text.find(kWord, at + 1)) {
    if (at > 0 && is_word(text[at - 1])) continue;
    std::string name = literal_at(text.substr(at + kWord.size()));
    if (is_module_name(name)) names.push_back(std::move(name));
  }
  return names;
}

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
  luahost::raise(L, "module '{}' not found; searched {}", name,
                 searched.empty() ? "nowhere: no module folders are set here" : searched);
}

/// Stack: 1 the name, 2 the table of loaded modules.
void load_module(lua_State* L, const std::string& name) {
  Core& core = core_of(L);
  if (std::ranges::find(core.loading, name) != core.loading.end())
    luahost::raise(L, "module '{}' requires itself, directly or through others", name);
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
  const std::string name(luahost::text_argument(L, 1));
  if (!is_module_name(name))
    luahost::raise(L, "bad module name '{}'; a name is letters, digits, '_' and '-', folders divided by dots", name);
  lua_settop(L, 1);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &kLoaded);
  if (lua_getfield(L, 2, name.c_str()) != LUA_TNIL) return 1;
  lua_pop(L, 1);
  load_module(L, name);
  return 1;
}

}  // namespace

bool is_module_name(const std::string& name) {
  bool part_begins = true;
  for (const char c : name) {
    if (c == '.' ? part_begins : !is_word(c) && c != '-') return false;
    part_begins = c == '.';
  }
  return !part_begins;
}

std::optional<Script> find_module(const std::vector<ModuleRoot>& roots, const std::string& name) {
  for (const ModuleRoot& root : roots)
    if (std::optional<Script> found = find_in(root, relative_path(name))) return found;
  return {};
}

std::vector<Script> named_modules(const Script& script, const std::vector<ModuleRoot>& roots) {
  std::vector<Script> found;
  const auto take = [&](const std::string& text) {
    for (const std::string& name : names_in(text)) {
      std::optional<Script> module = find_module(roots, name);
      const auto same = [&](const Script& s) { return s.name == module->name; };
      if (module && std::ranges::none_of(found, same)) found.push_back(std::move(*module));
    }
  };
  take(script.text);
  for (std::size_t i = 0; i < found.size(); ++i) take(std::string(found[i].text));
  return found;
}

const std::vector<Script>& loaded_modules(LuaState& state) { return state.core().modules; }

void luahost::install_require(lua_State* L) {
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kLoaded);
  set_functions(L, {{"require", guarded<require>}});
}

}  // namespace coslice

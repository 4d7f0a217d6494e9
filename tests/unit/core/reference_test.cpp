// The Lua reference is made of lua/meta: what stands there is what scripts can reach, and all of it.
#include <filesystem>
#include <fstream>
#include <lua.hpp>
#include <regex>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "api/groups/group_object.h"
#include "api/scripts/random_library.h"
#include "api/view/view_object.h"
#include "catch.h"
#include "host/guard.h"
#include "host/script.h"
#include "host/state.h"
#include "jobs/slowdown.h"
#include "testing_helpers.h"

namespace reference_test {

using namespace coslice;
using namespace coslice::test;

namespace {

using Names = std::set<std::string>;

std::vector<std::string> read_meta_lines() {
  std::vector<std::string> lines;
  std::set<std::string> files;
  for (const auto& f : std::filesystem::directory_iterator(COSLICE_SOURCE "/lua/meta")) files.insert(f.path().string());
  for (const std::string& file : files) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
  }
  return lines;
}

const std::vector<std::string>& meta_lines() {
  static const std::vector<std::string> lines = read_meta_lines();
  return lines;
}

/// First groups of all matches.
Names all_matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  Names names;
  for (std::sregex_iterator i(text.begin(), text.end(), regex), end; i != end; ++i) names.insert((*i)[1]);
  return names;
}

/// Functions "function PREFIXname(" of the definitions.
Names documented_functions(const std::string& prefix) {
  Names names;
  for (const std::string& line : meta_lines())
    if (line.rfind("function ", 0) == 0) names.merge(all_matches(line, "^function " + prefix + "([a-z_]+)\\("));
  return names;
}

/// Fields of all classes of that name, and of those that they are made from.
Names documented_fields(const std::string& of) {
  Names names;
  bool inside = false;
  static const std::regex heads("---@class coslice\\.([A-Za-z]+)(?:: coslice\\.([A-Za-z]+))?");
  for (const std::string& line : meta_lines()) {
    if (line.rfind("---@", 0) != 0) continue;
    std::smatch head;
    if (std::regex_match(line, head, heads)) {
      inside = head[1] == of;
      if (inside && head[2].matched) names.merge(documented_fields(head[2]));
    } else if (line.rfind("---@class ", 0) == 0) {
      inside = false;
    } else if (inside) {
      names.merge(all_matches(line, "^---@field ([a-z_]+)"));
    }
  }
  return names;
}

/// Names in the table of lua/meta/library.lua: "pairs", "table.keys".
Names documented_globals() {
  Names names;
  static const std::regex rows("---\\| (globals|`(?:coroutine|math|string|table|utf8|random)`) \\|(.*)\\|");
  for (const std::string& line : meta_lines()) {
    std::smatch row;
    if (line.rfind("---|", 0) != 0 || !std::regex_match(line, row, rows)) continue;
    if (row[2].str().find("`, `") == std::string::npos) continue;  // of the table of differences
    const std::string library = row[1] == "globals" ? "" : row[1].str().substr(1, row[1].str().size() - 2);
    if (!library.empty()) names.insert(library);
    for (const std::string& name : all_matches(row[2], "`([a-zA-Z_]+)`"))
      names.insert(library.empty() ? name : library + "." + name);
  }
  return names;
}

Names words(const std::string& text) {
  std::istringstream in(text);
  Names names;
  for (std::string w; in >> w;) names.insert(w);
  return names;
}

Names reachable_globals() {
  LuaState state;
  const RandomLibrary random(state, 1, "test");
  const LuaRef environment = new_environment(state);
  random.install(state, environment);
  const LuaRef text = run_script(state, {"names.lua", R"(
    local names = {}
    for name, value in pairs(_G) do
      names[#names + 1] = name
      if type(value) == "table" and value ~= _G then
        for field in pairs(value) do names[#names + 1] = name .. "." .. field end
      end
    end
    return table.concat(names, " ")
  )"},
                                 environment);
  std::string names;
  state.protect([&](lua_State* L) {
    text.push(L);
    names = lua_tostring(L, -1);
  });
  return words(names);
}

/// The keys of the table of methods that the metatable on the top of the stack looks names up in.
Names methods_of(lua_State* L, int upvalue) {
  Names names;
  REQUIRE(lua_istable(L, -1));
  lua_getfield(L, -1, "__index");
  if (!lua_istable(L, -1)) REQUIRE(lua_getupvalue(L, -1, upvalue) != nullptr);
  for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1))
    if (lua_isfunction(L, -1)) names.insert(lua_tostring(L, -2));  // else the number of a field
  return names;
}

std::string joined(const Names& names) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "" : " ") + n;
  return out;
}

/// What a policy of a suite with that code in its hook `submitted` raises.
Names raised_by(const std::string& code) {
  const std::string body =
      "simulate { nodes = 4, jobs = { job{submit=0, nodes=1, runtime=1} }, policy = { api = 1, name = "
      "'x', version = '1', submitted = function(view, job) local names = {} " +
      code + " error('<' .. table.concat(names, ' ') .. '>', 0) end } }";
  const std::string said = failure_of(body);
  const std::size_t from = said.find('<'), to = said.find('>');
  INFO(said);
  REQUIRE(from < to);
  return words(said.substr(from + 1, to - from - 1));
}

}  // namespace

TEST_CASE("reference: globals and library functions", "[reference]") {
  CHECK(joined(documented_globals()) == joined(reachable_globals()));
  Names told;
  for (const char* library : {"table", "math", "random"})
    for (const std::string& name : documented_functions(std::string(library) + "\\."))
      told.insert(fmt::format("{}.{}", library, name));
  const Names reachable = reachable_globals();
  for (const std::string& name : told) CHECK(reachable.count(name) == 1);
  for (const char* name :
       {"table.keys", "table.copy", "table.is_empty", "math.pow", "math.clamp", "math.round", "random.uniform"})
    CHECK(told.count(name) == 1);
}

TEST_CASE("reference: methods", "[reference]") {
  LuaState state;
  const std::vector<JobClass> classes;
  JobTables jobs(state, classes);
  const NoSlowdowns none;
  const ViewObject object(state, jobs, &none, {1, 2});
  state.protect([&](lua_State* L) {
    object.value().push(L);
    lua_getmetatable(L, -1);
    CHECK(joined(methods_of(L, 1)) == joined(documented_functions("View:")));
    for (const char* type : {"Candidates", "Groups", "Group"}) {
      luaL_getmetatable(L, (std::string("coslice.") + type).c_str());
      CHECK(joined(methods_of(L, 2)) == joined(documented_functions(std::string(type) + ":")));
    }
  });
}

TEST_CASE("reference: fields of jobs and views", "[reference]") {
  Names of_waiting = documented_fields("Job");
  for (const char* later : {"start", "finish"}) CHECK(of_waiting.erase(later) == 1);
  for (const char* shared : {"cpu", "network", "disk", "kind", "memory_fraction"}) CHECK(of_waiting.erase(shared) == 1);
  CHECK(joined(raised_by("for name in pairs(job) do names[#names + 1] = name end")) == joined(of_waiting));
  std::string list;
  for (const std::string& name : documented_fields("View")) list += "'" + name + "', ";
  CHECK(raised_by("for _, name in ipairs { " + list +
                  " } do if view[name] ~= nil then names[#names + 1] = name end end") == documented_fields("View"));
}

TEST_CASE("reference: what a policy and a program script may say", "[reference]") {
  const std::string said =
      failure_of("simulate { nodes = 1, jobs = { job{submit=0, nodes=1, runtime=1} }, policy = { api = 1, zzz = 1 } }");
  std::smatch list;
  REQUIRE(std::regex_search(said, list, std::regex("one of ([a-z_, ]+)")));
  CHECK(joined(all_matches(list[1], "([a-z_]+)")) == joined(documented_fields("Policy")));
  CHECK(joined(documented_fields("ProgramScript")) == "api description name params program version");
}

}  // namespace reference_test

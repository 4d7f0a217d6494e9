#include "api/scripts/size_table.h"

#include <lua.hpp>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"
#include "host/guard.h"
#include "host/value_text.h"

namespace coslice {
namespace {

constexpr lua_Integer kMostNodes = 100'000;

class SizeTable {
 public:
  SizeTable(lua_State* L, int job, const Place& place, const std::string& path)
      : L_(L), job_(job), sizes_(lua_gettop(L)), place_(place), path_(path) {}

  bool has_function() const { return has("speed") || has("runtime"); }
  /// A table that says numbers of nodes is meant to have one.
  void check_without_function() const {
    if (has_field("nodes") || has_field("from") || has_field("to"))
      fail(" has no function that says what numbers of nodes are good for",
           "speed = function(nodes) ... end, or runtime = function(nodes) ... end");
  }

  std::string text() {
    check_keys();
    const std::vector<lua_Integer> numbers = has_field("nodes") ? listed() : ranged();
    return has("speed") ? by_speed(numbers) : by_runtime(numbers);
  }

 private:
  /// Whether the field is a function.
  bool has(const char* name) const {
    const luahost::StackGuard guard(L_);
    lua_pushstring(L_, name);
    return lua_rawget(L_, sizes_) == LUA_TFUNCTION;
  }
  bool has_field(const char* name) const {
    const luahost::StackGuard guard(L_);
    lua_pushstring(L_, name);
    return lua_rawget(L_, sizes_) != LUA_TNIL;
  }

  [[noreturn]] void fail(const std::string& problem, const std::string& expected) const {
    fail_at(place_, fmt::format("{}{}", path_, problem), expected);
  }

  void check_keys() const {
    if (has("speed") && has("runtime")) fail(" has both speed and runtime", "one of the two");
    if (has_field("nodes") == (has_field("from") || has_field("to")))
      fail(has_field("nodes") ? " has both nodes and a range" : " says no numbers of nodes",
           "{ from = 2, to = 8, ... } or { nodes = { 2, 4, 8 }, ... }");
    const luahost::StackGuard guard(L_);
    lua_pushnil(L_);
    while (lua_next(L_, sizes_) != 0) {
      const std::string_view key = lua_type(L_, -2) == LUA_TSTRING ? lua_tostring(L_, -2) : "";
      if (key != "from" && key != "to" && key != "nodes" && key != "speed" && key != "runtime")
        fail(fmt::format(" has the key {}", describe_value(L_, -2)), "from and to, or nodes; speed or runtime");
      lua_pop(L_, 1);
    }
  }

  /// The value on the top of the stack in messages.
  std::string said() const {
    const luahost::StackGuard guard(L_);
    if (lua_type(L_, -1) != LUA_TNUMBER) return describe_value(L_, -1);
    lua_pushvalue(L_, -1);  // to turn a key into a text would end a walk through its table
    return lua_tostring(L_, -1);
  }

  /// The value on the top of the stack, a number of nodes.
  lua_Integer nodes_on_top(const std::string& name) const {
    int whole = 0;
    const lua_Integer n = lua_type(L_, -1) == LUA_TNUMBER ? lua_tointegerx(L_, -1, &whole) : 0;
    if (whole == 0 || n < 1 || n > kMostNodes)
      fail(fmt::format(".{} = {}", name, said()), "a whole number from 1 to 100000");
    return n;
  }

  lua_Integer nodes_of(const char* name) const {
    const luahost::StackGuard guard(L_);
    lua_pushstring(L_, name);
    lua_rawget(L_, sizes_);
    return nodes_on_top(name);
  }

  std::vector<lua_Integer> ranged() const {
    const lua_Integer from = nodes_of("from"), to = nodes_of("to");
    if (to < from) fail(fmt::format(".to = {}", to), fmt::format("no less than .from = {}", from));
    std::vector<lua_Integer> all;
    for (lua_Integer n = from; n <= to; ++n) all.push_back(n);
    return all;
  }

  std::vector<lua_Integer> listed() const {
    const luahost::StackGuard guard(L_);
    lua_pushliteral(L_, "nodes");
    if (lua_rawget(L_, sizes_) != LUA_TTABLE) fail(".nodes is no list", "{ 2, 4, 8 }");
    std::vector<lua_Integer> all;
    for (lua_Unsigned i = 1; i <= lua_rawlen(L_, -1); ++i) {
      lua_rawgeti(L_, -1, static_cast<lua_Integer>(i));
      all.push_back(nodes_on_top(fmt::format("nodes[{}]", i)));
      lua_pop(L_, 1);
    }
    if (all.empty()) fail(".nodes is empty", "{ 2, 4, 8 }");
    return all;
  }

  /// What the function says of so many nodes.
  double asked(const char* function, lua_Integer nodes) const {
    const luahost::StackGuard guard(L_);
    luaL_checkstack(L_, LUA_MINSTACK, "sizes of a job");
    lua_pushstring(L_, function);
    lua_rawget(L_, sizes_);
    lua_pushinteger(L_, nodes);
    lua_call(L_, 1, 1);
    const double x = lua_type(L_, -1) == LUA_TNUMBER ? lua_tonumber(L_, -1) : 0;
    if (!(x > 0 && x <= 1e15)) fail(fmt::format(": {}({}) returned {}", function, nodes, said()), "a number above 0");
    return x;
  }

  /// A field of the job.
  double number_of_job(const char* name) const {
    const luahost::StackGuard guard(L_);
    lua_pushstring(L_, name);
    lua_rawget(L_, job_);
    return lua_type(L_, -1) == LUA_TNUMBER ? lua_tonumber(L_, -1) : 0;
  }

  /// Speeds are to one another as run times: the job's own run time is that with its own nodes.
  std::string by_speed(const std::vector<lua_Integer>& numbers) const {
    const double own = number_of_job("nodes"), runtime = number_of_job("runtime");
    if (!(own >= 1 && own <= static_cast<double>(kMostNodes)) || !(runtime > 0))
      fail(" has speeds, and the job does not say its own nodes and its run time",
           "`nodes` and `runtime` of the job; or sizes = { ..., runtime = function(nodes) ... end }");
    const auto own_nodes = static_cast<lua_Integer>(own);
    const double own_speed = asked("speed", own_nodes);
    std::string out;
    for (const lua_Integer n : numbers)
      add(out, n, n == own_nodes ? runtime : runtime * (own_speed / asked("speed", n)));
    return out;
  }

  std::string by_runtime(const std::vector<lua_Integer>& numbers) const {
    std::string out;
    for (const lua_Integer n : numbers) add(out, n, asked("runtime", n));
    return out;
  }

  static void add(std::string& out, lua_Integer nodes, double seconds) {
    out += fmt::format("{}{}:{}", out.empty() ? "" : ",", nodes, seconds);
  }

  lua_State* L_;
  int job_, sizes_;
  const Place& place_;
  const std::string& path_;
};

}  // namespace

std::optional<std::string> sizes_by_function(lua_State* L, int job, const Place& place, const std::string& path) {
  SizeTable table(L, job, place, path);
  if (table.has_function()) return table.text();
  table.check_without_function();
  return std::nullopt;
}

}  // namespace coslice

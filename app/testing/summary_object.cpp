#include "testing/run_object.h"

#include <algorithm>
#include <lua.hpp>

#include <fmt/format.h>

#include "api/policy/params.h"
#include "host/guard.h"
#include "metrics/figures.h"

namespace coslice {
namespace {

/// A name that the flat summary of version 0.1 had, and where the figure stands.
struct Alias {
  std::string old, path;
};

void add_group_aliases(const std::string& inside, std::vector<Alias>& out) {
  for (const JobQuantity& q : job_quantities())
    for (const Statistic& s : kStatistics)
      out.push_back({fmt::format("{}_{}", s.name, q.path), fmt::format("{}{}.{}", inside, q.path, s.name)});
  out.push_back({"mean_relative_response", inside + "relative_response_time.mean"});
}

std::vector<Alias> run_aliases() {
  std::vector<Alias> out = {{"jobs", "nb_jobs"},
                            {"finished", "nb_jobs_finished"},
                            {"killed", "nb_jobs_killed"},
                            {"rejected", "nb_jobs_rejected"},
                            {"mean_queue", "mean_queue_length"},
                            {"max_queue", "max_queue_length"},
                            {"trimmed_by_class", "trimmed.by_class"},
                            {"efficiency", "sharing.efficiency"}};
  add_group_aliases("all.", out);
  const auto is_section = [](const std::string& path) {  // a name with another meaning by now
    return std::ranges::any_of(figure_sections(), [&](const FigureSection& s) { return s.path == path; });
  };
  for (const FigureSection& section : figure_sections()) {
    if (section.path != "slices") continue;
    for (const RunFigure& f : section.figures)
      if (!is_section(f.path)) out.push_back({f.path, "slices." + f.path});
  }
  return out;
}

std::vector<Alias> group_aliases(const std::string& inside) {
  std::vector<Alias> out;
  add_group_aliases(inside, out);
  if (!inside.empty()) out.push_back({"jobs", inside + "jobs"});
  return out;
}

/// What a table of the tree is: that decides its old names.
enum TableKind { kRun, kGroup, kTrimmed, kOther };

const std::vector<Alias>& aliases_of(TableKind kind) {
  static const std::vector<Alias> run = run_aliases(), group = group_aliases(""), trimmed = group_aliases("all."), none;
  return kind == kRun ? run : kind == kGroup ? group : kind == kTrimmed ? trimmed : none;
}

void warn(lua_State* L, SuiteContext& suite, const Alias& alias) {
  const std::vector<SuiteLine> lines = suite_lines(L);
  const std::string where = lines.empty() ? suite.path : fmt::format("{}:{}", lines[0].file, lines[0].line);
  suite.warn(alias.old, fmt::format("{}: '{}' of a summary is now '{}', as in summary.json; the next version does not "
                                    "know the old name",
                                    where, alias.old, alias.path));
}

/// Pushes what the path leads to from the table at the index; false if the way ends before.
bool push_at(lua_State* L, int table, const std::string& path) {
  lua_pushvalue(L, table);
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t to = std::min(path.find('.', from), path.size());
    if (!lua_istable(L, -1)) return false;
    lua_pushlstring(L, path.data() + from, to - from);
    lua_rawget(L, -2);
    lua_remove(L, -2);
    from = to + 1;
  }
  return !lua_isnil(L, -1);
}

/// The flat summary had figures of slices and sharing in every run.
void push_absent(lua_State* L, const std::string& path) {
  lua_settop(L, 2);
  if (path == "sharing.efficiency" || path == "slices.utilization_without_loading") lua_getfield(L, 1, "utilization");
  else if (path.rfind("slices.", 0) == 0) lua_pushinteger(L, 0);
  else lua_pushnil(L);
}

/// __index of every table of the tree. Upvalues: the suite, what the table is, its words in errors.
int missing_member(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  auto& suite = *static_cast<SuiteContext*>(lua_touserdata(L, lua_upvalueindex(1)));
  const auto kind = static_cast<TableKind>(lua_tointeger(L, lua_upvalueindex(2)));
  if (lua_type(L, 2) == LUA_TSTRING) {
    const std::string name = lua_tostring(L, 2);
    for (const Alias& alias : aliases_of(kind)) {
      if (alias.old != name) continue;
      warn(L, suite, alias);
      if (!push_at(L, 1, alias.path)) push_absent(L, alias.path);
      return 1;
    }
  } else if (lua_type(L, 2) == LUA_TNUMBER) {  // users and queues are numbers in traces, names in the tree
    lua_pushvalue(L, 2);
    const std::string name = lua_tostring(L, -1);
    lua_pushstring(L, name.c_str());
    lua_rawget(L, 1);
    if (!lua_isnil(L, -1)) return 1;
  }
  refuse_unknown_member(L, lua_tostring(L, lua_upvalueindex(3)));
}

class TreePusher {
 public:
  TreePusher(lua_State* L, SuiteContext& suite) : L_(L), suite_(suite) {}

  void push(const Value& v, TableKind kind, const std::string& what) {
    const Value::Table* members = v.members();
    if (members == nullptr) return push_value(L_, v);
    luaL_checkstack(L_, 8, "a summary");
    lua_createtable(L_, 0, static_cast<int>(members->size()));
    for (const Member& m : *members) {
      lua_pushlstring(L_, m.key.data(), m.key.size());
      push(m.value, kind_below(m.value, m.key), what == kSummary ? "'" + m.key + "' of the summary" : what);
      lua_rawset(L_, -3);
    }
    set_metatable(kind, what);
  }

  static constexpr const char* kSummary = "the summary";

 private:
  /// A group of jobs is known by its figures.
  static TableKind kind_below(const Value& v, const std::string& key) {
    if (key == "trimmed") return kTrimmed;
    return v.find("wait") != nullptr && v.find("response") != nullptr ? kGroup : kOther;
  }

  void set_metatable(TableKind kind, const std::string& what) {
    lua_createtable(L_, 0, 1);
    lua_pushlightuserdata(L_, &suite_);
    lua_pushinteger(L_, kind);
    lua_pushlstring(L_, what.data(), what.size());
    lua_pushcclosure(L_, luahost::guarded<missing_member>, 3);
    lua_setfield(L_, -2, "__index");
    hide_metatable(L_);
    lua_setmetatable(L_, -2);
  }

  lua_State* L_;
  SuiteContext& suite_;
};

}  // namespace

void push_summary(lua_State* L, const Value& summary, SuiteContext& suite) {
  TreePusher(L, suite).push(summary, kRun, TreePusher::kSummary);
}

}  // namespace coslice

#include "testing/run_object.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <new>

#include <fmt/format.h>

#include "api/jobs/job_values.h"
#include "api/jobs/known_fields.h"
#include "core/error.h"
#include "host/bind.h"
#include "host/value_text.h"
#include "runner/write_run.h"

namespace coslice {
namespace {

using luahost::push;
using luahost::set_field;

const char kRunKey = 0;  ///< its address is the registry key of the metatable of runs
const char kJob = 0;     ///< ... of jobs

/// Where a job's field comes from; it is pushed, nil where the job has none.
struct JobField {
  const char* name;
  void (*push)(lua_State*, const TestRun&, std::size_t);
};

/// Whole seconds as integers: a whole number of seconds is exact however late it is.
void push_span(lua_State* L, Duration d) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (d.count() % kSecond == 0) push(L, d.count() / kSecond);
  else push(L, to_seconds(d));
}
void push_instant(lua_State* L, Time t) { t == kNever ? lua_pushnil(L) : push_span(L, t.time_since_epoch()); }

bool has_ended(const TestRun& r, std::size_t i) { return r.outcome(i).end != kNever; }

const JobField kJobFields[] = {
    {"entered", [](lua_State* L, const TestRun& r, std::size_t i) { push_instant(L, r.entered(i)); }},
    {"nodes", [](lua_State* L, const TestRun& r, std::size_t i) { push(L, r.nodes(i)); }},
    {"start", [](lua_State* L, const TestRun& r, std::size_t i) { push_instant(L, r.outcome(i).start); }},
    {"finish", [](lua_State* L, const TestRun& r, std::size_t i) { push_instant(L, r.outcome(i).end); }},
    {"wait",
     [](lua_State* L, const TestRun& r, std::size_t i) {
       if (r.outcome(i).start == kNever) lua_pushnil(L);
       else push_span(L, r.run.result.waited(r.order[i]));
     }},
    {"response",
     [](lua_State* L, const TestRun& r, std::size_t i) {
       if (!has_ended(r, i)) lua_pushnil(L);
       else push_span(L, r.outcome(i).end - r.entered(i));
     }},
    {"bounded_slowdown",
     [](lua_State* L, const TestRun& r, std::size_t i) {
       if (!has_ended(r, i)) lua_pushnil(L);
       else push(L, bounded_slowdown(r.run.result, r.order[i], r.runner->scenario().metrics.bound));
     }},
    {"preemptions",
     [](lua_State* L, const TestRun& r, std::size_t i) {
       const SlicedJob* s = r.sliced(i);
       push(L, s ? s->preemptions : 0);
     }},
    {"overhead",
     [](lua_State* L, const TestRun& r, std::size_t i) { push_span(L, r.run.result.overhead_of(r.order[i])); }},
    {"allocated", [](lua_State* L, const TestRun& r, std::size_t i) { push(L, r.allocated(i)); }},
    {"state", [](lua_State* L, const TestRun& r, std::size_t i) { push(L, state_name(r.outcome(i).state)); }},
};

/// What the trace says of the job, with spans as push_span has them.
void push_attribute_of(lua_State* L, const Job& job, const Attribute& a) {
  if (a.is_time()) push_span(L, a.span(job));
  else push_attribute(L, job, a);
}

// --- jobs

/// A job's field that it does not have: nil if others may have it, else an error.
int job_field(lua_State* L) {
  const std::string name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  std::vector<std::string> names;
  for (const JobField& f : kJobFields) names.emplace_back(f.name);
  for (const Attribute& a : kAttributes) {
    if (a.has(Attribute::kSaid)) names.emplace_back(a.name);
    if (a.former.empty() || a.former != name) continue;
    auto& suite = *static_cast<SuiteContext*>(lua_touserdata(L, lua_upvalueindex(1)));
    for (std::string& warning : former_name_warnings({name})) suite.warn(name, std::move(warning));
    lua_getfield(L, 1, a.name.data());
    return 1;
  }
  const bool known = lua_type(L, 2) == LUA_TSTRING && std::ranges::find(names, lua_tostring(L, 2)) != names.end();
  if (!known) refuse_unknown_field(L, "the job", 2, names);
  lua_pushnil(L);
  return 1;
}

void push_job(lua_State* L, const TestRun& run, std::size_t i) {
  lua_createtable(L, 0, static_cast<int>(std::size(kJobFields) + kAttributes.size()));
  for (const JobField& f : kJobFields) {
    f.push(L, run, i);
    lua_setfield(L, -2, f.name);
  }
  for (const Attribute& a : kAttributes) {
    if (!a.has(Attribute::kSaid)) continue;
    push_attribute_of(L, run.job(i), a);
    lua_setfield(L, -2, a.name.data());
  }
  luahost::push_kept(L, &kJob, [&] {
    lua_createtable(L, 0, 1);
    lua_pushlightuserdata(L, run.suite);
    luahost::set_functions(L, {{"__index", luahost::guarded<job_field>}}, 1);
    hide_metatable(L);
  });
  lua_setmetatable(L, -2);
}

const TestRun& run_upvalue(lua_State* L) { return *to_run(L, lua_upvalueindex(1)); }

/// jobs[i]: built when it is first asked for, so that a long trace takes no memory.
int job_at(lua_State* L) {
  const TestRun& run = run_upvalue(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  int is_integer = 0;
  const lua_Integer i = lua_tointegerx(L, 2, &is_integer);
  if (lua_type(L, 2) != LUA_TNUMBER) refuse_unknown_field(L, "the list of jobs", 2, {});
  if (is_integer == 0 || i < 1 || i > std::ssize(run.order)) return 0;
  push_job(L, run, static_cast<std::size_t>(i - 1));
  lua_pushvalue(L, -1);
  lua_rawseti(L, 1, i);
  return 1;
}

int job_count(lua_State* L) { return luahost::answer(L, run_upvalue(L).order.size()); }

int next_job(lua_State* L) {
  const lua_Integer i = luaL_checkinteger(L, 2) + 1;
  lua_pushinteger(L, i);
  if (lua_geti(L, 1, i) == LUA_TNIL) return 1;
  return 2;
}

int jobs_pairs(lua_State* L) {
  lua_pushcfunction(L, luahost::guarded<next_job>);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 0);
  return 3;
}

/// The list of jobs of the run at the stack index.
void push_jobs(lua_State* L, int run) {
  run = lua_absindex(L, run);
  lua_newtable(L);
  lua_createtable(L, 0, 5);
  lua_pushvalue(L, run);
  luahost::set_functions(L, {{"__index", luahost::guarded<job_at>}, {"__len", luahost::guarded<job_count>}}, 1);
  luahost::set_functions(L, {{"__pairs", luahost::guarded<jobs_pairs>}});
  set_field(L, "__name", "the jobs of a run");
  hide_metatable(L);
  lua_setmetatable(L, -2);
}

// --- the run

int collect_run(lua_State* L) {
  static_cast<TestRun*>(lua_touserdata(L, 1))->~TestRun();
  return 0;
}

/// The summary is made when it is first read: most runs of a property are never asked for it.
int run_summary(lua_State* L) {
  const TestRun& r = *to_run(L, 1);
  lua_pop(L, 1);
  push_summary(L, run_summary_value(*r.runner, r.number, r.run), *r.suite);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "summary");
  return 1;
}

int run_field(lua_State* L) {
  lua_getiuservalue(L, 1, 1);
  lua_pushvalue(L, 2);
  lua_rawget(L, -2);
  if (!lua_isnil(L, -1)) return 1;
  if (lua_type(L, 2) == LUA_TSTRING && std::string_view(lua_tostring(L, 2)) == "summary") return run_summary(L);
  refuse_unknown_field(L, "the run", 2,
                       {"policy", "fingerprint", "jobs", "summary", "violations", "broken_promises", "broken_claims",
                        "warnings", "nodes"});
}

int run_text(lua_State* L) {
  lua_pushfstring(L, "a run of '%s'", to_run(L, 1)->run.policy.name.c_str());
  return 1;
}

void push_run_metatable(lua_State* L) {
  luahost::push_kept(L, &kRunKey, [&] {
    lua_createtable(L, 0, 4);
    luahost::set_functions(L, {{"__index", luahost::guarded<run_field>}, {"__tostring", luahost::guarded<run_text>}});
    luahost::set_finalizer(L, collect_run);
    set_field(L, "__metatable", "run");
  });
}

}  // namespace

void hide_metatable(lua_State* L) { set_field(L, "__metatable", false); }

void refuse_unknown_field(lua_State* L, const std::string& what, int key, const std::vector<std::string>& names) {
  const std::string typed = lua_type(L, key) == LUA_TSTRING ? lua_tostring(L, key) : describe_value(L, key);
  Diagnostic d;
  d.problem = fmt::format("{} has no field '{}'", what, typed);
  d.suggestion = did_you_mean(typed, names);
  if (d.suggestion.empty()) {
    for (const std::string& n : names) d.expected += (d.expected.empty() ? "one of " : ", ") + n;
  }
  luahost::raise_text(L, d.message());
}

void refuse_unknown_member(lua_State* L, const std::string& what) {
  luaL_checktype(L, 1, LUA_TTABLE);
  std::vector<std::string> names = text_keys(L, 1);
  std::ranges::sort(names);
  refuse_unknown_field(L, what, 2, names);
}

void push_run(lua_State* L, TestRun run) {
  luaL_checkstack(L, 12, "a run");
  push_run_metatable(L);
  void* block = lua_newuserdatauv(L, sizeof(TestRun), 1);
  const TestRun& r = *new (block) TestRun(std::move(run));
  lua_insert(L, -2);
  lua_setmetatable(L, -2);
  luahost::push_fields(L, "policy", r.run.policy.name, "fingerprint", fmt::format("{:016x}", r.run.result.fingerprint),
                       "nodes", r.runner->machine().nodes, "violations", r.violations, "broken_promises",
                       r.broken_promises, "broken_claims", r.broken_claims, "warnings", r.runner->warnings());
  push_jobs(L, -2);
  lua_setfield(L, -2, "jobs");
  lua_setiuservalue(L, -2, 1);
}

void push_comparison(lua_State* L, const Comparison& c) {
  luaL_checkstack(L, 4, "a comparison");
  const auto set = [L](const char* name, double share) {
    if (!std::isnan(share)) set_field(L, name, share);
  };
  lua_createtable(L, 0, 2);
  set("overhead_reduction", c.overhead_reduction);
  lua_createtable(L, 0, static_cast<int>(c.by_class.size()) + 1);
  for (const Comparison::Group& g : c.by_class) set(g.name.c_str(), g.response_improvement);
  set("all", c.all.response_improvement);
  lua_setfield(L, -2, "response_improvement");
}

const TestRun* to_run(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || lua_getmetatable(L, index) == 0) return nullptr;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &kRunKey);
  const bool same = lua_rawequal(L, -1, -2) != 0;
  lua_pop(L, 2);
  return same ? static_cast<const TestRun*>(lua_touserdata(L, index)) : nullptr;
}

}  // namespace coslice

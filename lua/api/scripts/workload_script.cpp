#include "api/scripts/workload_script.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <lua.hpp>
#include <unordered_set>

#include <fmt/format.h>

#include "api/jobs/job_values.h"
#include "core/error.h"
#include "host/call.h"
#include "host/errors.h"
#include "jobs/job_spec.h"
#include "jobs/workflow.h"

namespace coslice {
namespace {

/// The largest logs of machines have half a million; a script that yields for ever is to end soon, and in little
/// memory.
constexpr std::int64_t kMaxJobs = 1'000'000;
/// To read a job takes a hundred times as long as to count it. After so many jobs all of them are counted first.
constexpr std::int64_t kReadFirst = 20'000;
const ScriptKind kWorkloadScript = {"workload script",
                                    "workload",
                                    "return { api = 1, name = ..., jobs = function(params, machine) ... end }",
                                    {"jobs"}};

/// Gives back the next job at each call, nothing when there are no more.
const char* const kIterate = R"lua(
local jobs, params, machine = ...
return coroutine.wrap(function() jobs(params, machine) end)
)lua";

/// Stands in for coroutine.yield where jobs are only counted: outside of coroutines that the script makes itself, it
/// counts and goes on. Upvalue: the count.
int count_job(lua_State* L) {
  if (lua_isyieldable(L) != 0) return lua_yield(L, lua_gettop(L));
  auto& count = *static_cast<std::int64_t*>(lua_touserdata(L, lua_upvalueindex(1)));
  if (++count > kMaxJobs) luaL_error(L, "counted");
  return 0;
}

/// Puts it into the globals of the function.
void count_yields(LuaState& state, const LuaRef& function, std::int64_t& count) {
  state.protect([&](lua_State* L) {
    function.push(L);
    for (int i = 1;; ++i) {
      const char* const name = lua_getupvalue(L, -1, i);
      if (name == nullptr) return;  // it uses no global
      if (std::string_view(name) == "_ENV") break;
      lua_pop(L, 1);
    }
    lua_getfield(L, -1, "coroutine");
    lua_newtable(L);
    lua_insert(L, -2);
    for (const char* const other : {"create", "resume", "wrap", "close", "status", "running", "isyieldable"}) {
      lua_getfield(L, -1, other);
      lua_setfield(L, -3, other);
    }
    lua_pop(L, 1);
    lua_pushlightuserdata(L, &count);
    lua_pushcclosure(L, count_job, 1);
    lua_setfield(L, -2, "yield");
    lua_setfield(L, -2, "coroutine");
  });
}

/// What a job that is yielded may say: programs have names in scenarios only.
const std::vector<Key<JobSpec>>& yielded_keys() {
  static const std::vector<Key<JobSpec>> keys = [] {
    std::vector<Key<JobSpec>> all = job_spec_keys();
    all.erase(std::ranges::find_if(all, [](const Key<JobSpec>& k) { return k.name == "program"; }));
    return all;
  }();
  return keys;
}

/// Names of users and the like that jobs give, as numbers. A script gives all of a kind by name, or all by number.
class GivenNames {
 public:
  /// Leaves on the stack a copy of the table on top, with numbers where it has names; "" or what is wrong with it.
  std::string number(lua_State* L, std::int64_t job) {
    luaL_checkstack(L, 8, nullptr);
    lua_newtable(L);
    for (lua_pushnil(L); lua_next(L, -3) != 0;) {
      lua_pushvalue(L, -2);
      lua_insert(L, -2);
      lua_rawset(L, -4);
    }
    lua_getfield(L, -1, "account");
    const bool says_account = !lua_isnil(L, -1);
    if (says_account) {
      lua_getfield(L, -2, "group");
      if (!lua_isnil(L, -1)) return "has both group and account";
      lua_pop(L, 1);
      lua_setfield(L, -2, "group");
      lua_pushnil(L);
      lua_setfield(L, -2, "account");
    } else {
      lua_pop(L, 1);
    }
    for (Kind& kind : kinds_) {
      lua_getfield(L, -1, kind.name);
      const bool is_name = lua_type(L, -1) == LUA_TSTRING, is_given = !lua_isnil(L, -1);
      std::size_t length = 0;
      const char* const text = is_name ? lua_tolstring(L, -1, &length) : nullptr;
      const std::string name = is_name ? std::string(text, length) : "";
      lua_pop(L, 1);
      if (!is_given || (is_name && name.empty())) {
        if (is_name) lua_pushnil(L), lua_setfield(L, -2, kind.name);
        continue;
      }
      std::int64_t& first = is_name ? kind.first_name : kind.first_number;
      if (first == 0) first = job;
      if (kind.first_name != 0 && kind.first_number != 0)
        return fmt::format("gives its {} by {}, and job {} gives it by {}", kind.name, is_name ? "name" : "number",
                           is_name ? kind.first_number : kind.first_name, is_name ? "number" : "name");
      if (!is_name) continue;
      lua_pushinteger(L, kind.numbers.number(kind.name, name));
      lua_setfield(L, -2, kind.name);
    }
    return "";
  }

  std::vector<RecordedWorkload::Name> all() const {
    std::vector<RecordedWorkload::Name> all;
    for (const Kind& kind : kinds_) std::ranges::copy(kind.numbers.all(), std::back_inserter(all));
    return all;
  }

 private:
  struct Kind {
    const char* name;
    NameNumbers numbers{};
    std::int64_t first_name = 0, first_number = 0;  ///< the first job that gives a name, or a number
  };
  std::array<Kind, 4> kinds_{{{"user"}, {"group"}, {"queue"}, {"executable"}}};
};

class Generator {
 public:
  Generator(const Script& script, const WorkloadScriptContext& context)
      : script_(script, context, kWorkloadScript), context_(context), jobs_(script_.function("jobs")) {}

  Workload run(const Value& given, ResourceProfiles* profiles);
  std::vector<RecordedWorkload::Name> names() const { return names_.all(); }

 private:
  LuaRef iterator(const Value& given) const;
  bool yields_too_many(const Value& given) const;
  JobSpec read(const LuaRef& yielded, std::int64_t number);
  void finish_workflow(Workload& workload) const;
  [[noreturn]] void fail(std::string problem, std::string expected = "") const {
    throw InputError({script_.script().name, 0, std::move(problem), std::move(expected)});
  }

  LoadedScript script_;
  const WorkloadScriptContext& context_;
  Hook jobs_;
  GivenNames names_;
};

LuaRef Generator::iterator(const Value& given) const {
  static const std::string label = "workload script";
  const LuaRef params = script_.params_table(given);
  const LuaRef machine = script_.table(machine_value(context_.machine), "the machine has");
  const LuaRef iterate = compile(script_.state(), {"workload iterator", kIterate}, new_environment(script_.state()));
  Call call(script_.state(), iterate, label);
  call.push(jobs_.function).push(params).push(machine).invoke(1);
  return call.value(1);
}

/// Whether another run of the script, which yields the same, yields more jobs than there may be, as far as one call
/// may tell. What is wrong with what it does is found when its jobs are read.
bool Generator::yields_too_many(const Value& given) const {
  std::int64_t count = 0;
  try {
    const LoadedScript ahead(script_.script(), context_, kWorkloadScript, true);
    const Hook jobs = ahead.function("jobs");
    const LuaRef params = ahead.params_table(given);
    const LuaRef machine = ahead.table(machine_value(context_.machine), "the machine has");
    count_yields(ahead.state(), jobs.function, count);
    Call call(ahead.state(), jobs.function, jobs.label);
    call.push(params).push(machine).invoke(0);
  } catch (const ScriptError& e) {
    if (e.diagnostic().problem == "interrupted") throw;
  }
  return count > kMaxJobs;
}

JobSpec Generator::read(const LuaRef& yielded, std::int64_t number) {
  const std::string path = fmt::format("job {}", number);
  JobSpec spec;
  script_.state().protect([&](lua_State* L) {
    yielded.push(L);
    if (!lua_istable(L, -1))
      fail(fmt::format("{}: the script yields a {}", path, luaL_typename(L, -1)),
           "a table such as { submit = 0, nodes = 4, runtime = 600 }");
    if (const std::string problem = names_.number(L, number); !problem.empty())
      fail(path + " " + problem, "one of the two");
    spec = read_job(L, -1, yielded_keys(), script_.script().name, path);
    lua_pop(L, 2);
  });
  if (const auto [problem, expected] = problem_of(spec); !problem.empty()) fail(path + " " + problem, expected);
  return spec;
}

/// Makes arrays into jobs, and sees that jobs depend on jobs that there are.
void Generator::finish_workflow(Workload& workload) const {
  try {
    expand_arrays(workload);
  } catch (const InputError& e) {
    fail("wrong " + e.diagnostic().problem, e.diagnostic().expected);
  }
  const Workflow workflow = workflow_of(workload.jobs, false);
  const auto& found = workflow.problem ? workflow.problem : workflow.unknown;
  if (found) fail(fmt::format("job {} {}", workload.jobs[found->job].id, found->what), found->expected);
}

Workload Generator::run(const Value& given, ResourceProfiles* profiles) {
  Workload workload;
  workload.name = script_.name();
  const LuaRef next = iterator(given);
  const std::int32_t per_node =
      context_.processes_per_node > 0 ? context_.processes_per_node : context_.machine.cores_per_node();
  std::unordered_set<std::int64_t> numbers;
  std::set<std::string> former;
  while (true) {
    Call call(script_.state(), next, jobs_.label);
    call.invoke(1);
    if (call.is_nil(1)) break;
    const auto number = std::ssize(workload.jobs) + 1;
    if (number > kMaxJobs || (number == kReadFirst && yields_too_many(given)))
      fail(fmt::format("the script yields more than {} jobs", kMaxJobs), "an end of what it yields");
    JobSpec spec = read(call.value(1), number);
    Job job = job_of(spec, number, per_node, workload.extras);
    request_for(job, spec, context_.machine, workload.requests);
    if (number > 1 && job.submit < workload.jobs.back().submit)
      fail(fmt::format("job {} is submitted before job {}", number, number - 1), "jobs in order of submission");
    if (!numbers.insert(job.id).second)
      fail(fmt::format("job {} has the number {}, which another job has", number, job.id), "numbers of their own");
    if (const auto profile = profile_of(spec); profile && profiles != nullptr) (*profiles)[job.id] = *profile;
    former.merge(spec.former_names);
    workload.jobs.push_back(job);
  }
  workload.records = std::ssize(workload.jobs);
  finish_workflow(workload);
  workload.warnings = former_name_warnings(former);
  return workload;
}

}  // namespace

Workload run_workload_script(const Script& script, const Value& params, const WorkloadScriptContext& context,
                             ResourceProfiles* profiles, std::vector<RecordedWorkload::Name>* names) {
  try {
    Generator generator(script, context);
    Workload workload = generator.run(params, profiles);
    if (names != nullptr) *names = generator.names();
    return workload;
  } catch (const ScriptError& e) {
    throw InputError(e.diagnostic());
  }
}

std::vector<ParamSpec> workload_script_params(const Script& script, const ScriptContext& context) {
  return declared_params(script, context, kWorkloadScript);
}

}  // namespace coslice

#include "api/workload_script.h"

#include <cmath>
#include <lua.hpp>
#include <unordered_set>

#include <fmt/format.h>

#include "api/job_spec.h"
#include "api/known_fields.h"
#include "api/random_library.h"
#include "api/script_text.h"
#include "core/error.h"
#include "host/call.h"
#include "host/guard.h"
#include "host/state.h"

namespace coslice {

namespace {

constexpr long long kWorkloadApi = 1;
constexpr std::int64_t kMaxJobs = 10'000'000;

/// Gives back the next job at each call, nothing when there are no more.
const char* const kIterate = R"lua(
local jobs, params, machine = ...
return coroutine.wrap(function() jobs(params, machine) end)
)lua";

/// The script, loaded and checked.
class Generator {
 public:
  Generator(const Script& script, const WorkloadScriptContext& context)
      : script_(script), context_(context), state_(context.limits), random_(state_, context.seed, "workload") {
    set_module_roots(state_, context.roots);
    const LuaRef environment = new_environment(state_);
    random_.install(state_, environment);
    table_ = run_script(state_, script, environment);
    state_.protect([&](lua_State* L) { read(L); });
  }

  const std::vector<ParamSpec>& params() const { return specs_; }
  Workload run(const Value& given, ResourceProfiles* profiles);

 private:
  void read(lua_State* L);
  LuaRef iterator(const Value& params);
  Job read_job(lua_State* L, int index, std::int64_t number) const;
  std::optional<ResourceProfile> read_profile(lua_State* L, int index, std::int64_t number) const;

  const Script& script_;
  const WorkloadScriptContext& context_;
  LuaState state_;
  RandomLibrary random_;
  LuaRef table_, jobs_;
  std::string name_;
  std::vector<ParamSpec> specs_;
};

void Generator::read(lua_State* L) {
  table_.push(L);
  if (!lua_istable(L, -1)) {
    throw InputError({script_.name, 0, "the workload script returns no table",
                      "return { api = 1, name = ..., jobs = function(params, machine) ... end }", "", ""});
  }
  const FieldReader f(L, -1, script_.name, script_.text, "workload script");
  f.only({"api", "name", "version", "description", "params", "jobs"});
  if (!f.has("api") || f.integer("api", 1) != kWorkloadApi)
    f.fail("api", "the workload script is written for another interface", "api = 1");
  name_ = f.text("name");
  f.text("version", "");
  f.text("description", "");
  if (f.has("params")) {
    f.push("params");
    if (!lua_istable(L, -1))
      f.fail("params", "workload script: field 'params' is not a table", "name = { default = ..., doc = ... }");
    specs_ = read_param_specs(L, -1, script_.name, script_.text);
    lua_pop(L, 1);
  }
  f.require_function("jobs");
  f.push("jobs");
  jobs_ = LuaRef::pop(L);
}

LuaRef Generator::iterator(const Value& params) {
  static const std::string label = "workload script";
  const LuaRef iterate = compile(state_, {"workload iterator", kIterate}, new_environment(state_));
  Call call(state_, iterate, label);
  const MachineSpec& m = context_.machine;
  LuaRef params_table, machine;
  state_.protect([&](lua_State* L) {
    push_value(L, params);
    refuse_unknown_fields(L, "the script's 'params' have");
    params_table = LuaRef::pop(L);
    Value machine_value = Value::table();
    machine_value.set("nodes", Value(static_cast<std::int64_t>(m.nodes)));
    machine_value.set("processors", Value(static_cast<std::int64_t>(m.processors)));
    machine_value.set("cores", Value(static_cast<std::int64_t>(m.cores)));
    machine_value.set("memory", Value(static_cast<double>(m.memory_kb)));
    push_value(L, machine_value);
    refuse_unknown_fields(L, "the machine has");
    machine = LuaRef::pop(L);
  });
  call.push(jobs_).push(params_table).push(machine).invoke(1);
  return call.value(1);
}

Job Generator::read_job(lua_State* L, int index, std::int64_t number) const {
  if (!lua_istable(L, index)) {
    throw InputError({script_.name, 0, fmt::format("job {}: the script yields a {}", number, luaL_typename(L, index)),
                      "a table such as { submit = 0, nodes = 4, runtime = 600 }", "", ""});
  }
  const FieldReader f(L, index, script_.name, "", fmt::format("job {}", number));
  f.only({"submit", "nodes", "processes", "runtime", "limit", "id", "user", "group", "queue", "partition", "executable",
          "status", "memory", "after", "think", "cpu", "network", "disk", "memory_fraction"});
  Job job;
  job.id = f.has("id") ? f.integer("id", 0) : number;
  if (f.has("submit")) job.submit = Time{read_job_span(f, "submit", 0, kMaxSubmitSeconds)};
  job.runtime = read_job_span(f, "runtime", 1e-9);
  job.limit_given = f.has("limit");
  job.limit = job.limit_given ? read_job_span(f, "limit", 1e-9) : job.runtime;
  if (f.has("nodes") == f.has("processes"))
    f.fail("", fmt::format("job {} says {} of 'nodes' and 'processes'", number, f.has("nodes") ? "both" : "neither"),
           "one of them");
  const std::int32_t on_a_node =
      context_.processes_per_node > 0 ? context_.processes_per_node : context_.machine.cores_per_node();
  const long long per_node = f.has("nodes") ? on_a_node : 1;
  const long long count = f.integer(f.has("nodes") ? "nodes" : "processes", 1);
  if (count > 100'000'000 / per_node)
    f.fail("", fmt::format("job {} has {} processes", number, count), "at most 100,000,000");
  job.size = static_cast<std::int32_t>(count * per_node);
  read_job_owner(f, job);
  if (f.has("think")) job.think_time = read_job_span(f, "think", 0);
  return job;
}

/// What the job uses, if it says so.
std::optional<ResourceProfile> Generator::read_profile(lua_State* L, int index, std::int64_t number) const {
  const std::string who = fmt::format("job {}", number);
  return read_job_profile(FieldReader(L, index, script_.name, "", who), who);
}

Workload Generator::run(const Value& given, ResourceProfiles* profiles) {
  Workload workload;
  workload.name = name_;
  const Value params = resolve_params(specs_, given, fmt::format("workload script '{}'", name_), true);
  static const std::string label = "function 'jobs' of the workload script";
  const LuaRef next = iterator(params);
  std::unordered_set<std::int64_t> numbers;
  while (true) {
    Call call(state_, next, label);
    call.invoke(1);
    if (call.is_nil(1)) break;
    const auto number = static_cast<std::int64_t>(workload.jobs.size()) + 1;
    if (number > kMaxJobs)
      throw InputError({script_.name, 0, fmt::format("the script yields more than {} jobs", kMaxJobs), "", "", ""});
    const Job job = read_job(call.raw(), call.index(1), number);
    if (number > 1 && job.submit < workload.jobs.back().submit) {
      throw InputError({script_.name, 0, fmt::format("job {} is submitted before job {}", number, number - 1),
                        "jobs in order of submission", "", ""});
    }
    if (!numbers.insert(job.id).second) {
      throw InputError({script_.name, 0, fmt::format("job {} has the number {}, which another job has", number, job.id),
                        "numbers of their own", "", ""});
    }
    if (profiles != nullptr)
      if (const auto p = read_profile(call.raw(), call.index(1), number)) (*profiles)[job.id] = *p;
    workload.jobs.push_back(job);
  }
  workload.records = static_cast<std::int64_t>(workload.jobs.size());
  return workload;
}

}  // namespace

Workload run_workload_script(const Script& script, const Value& params, const WorkloadScriptContext& context,
                             ResourceProfiles* profiles) {
  try {
    return Generator(script, context).run(params, profiles);
  } catch (const ScriptError& e) {
    throw InputError(e.diagnostic());
  }
}

std::vector<ParamSpec> workload_script_params(const Script& script, const WorkloadScriptContext& context) {
  return Generator(script, context).params();
}

}  // namespace coslice

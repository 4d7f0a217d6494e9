#include "api/scripts/workload_script.h"

#include <lua.hpp>
#include <unordered_set>

#include <fmt/format.h>

#include "api/jobs/job_values.h"
#include "core/error.h"
#include "host/call.h"
#include "jobs/job_spec.h"
#include "jobs/workflow.h"

namespace coslice {
namespace {

/// The largest logs of machines have half a million; a script that yields for ever is to end soon, and in little
/// memory.
constexpr std::int64_t kMaxJobs = 1'000'000;
const ScriptKind kWorkloadScript = {"workload script",
                                    "workload",
                                    "return { api = 1, name = ..., jobs = function(params, machine) ... end }",
                                    {"jobs"}};

/// Gives back the next job at each call, nothing when there are no more.
const char* const kIterate = R"lua(
local jobs, params, machine = ...
return coroutine.wrap(function() jobs(params, machine) end)
)lua";

/// What a job that is yielded may say: programs have names in scenarios only.
const std::vector<Key<JobSpec>>& yielded_keys() {
  static const std::vector<Key<JobSpec>> keys = [] {
    std::vector<Key<JobSpec>> all = job_spec_keys();
    all.erase(std::ranges::find_if(all, [](const Key<JobSpec>& k) { return k.name == "program"; }));
    return all;
  }();
  return keys;
}

class Generator {
 public:
  Generator(const Script& script, const WorkloadScriptContext& context)
      : script_(script, context, kWorkloadScript), context_(context), jobs_(script_.function("jobs")) {}

  Workload run(const Value& given, ResourceProfiles* profiles);

 private:
  LuaRef iterator(const Value& given) const;
  JobSpec read(const LuaRef& yielded, std::int64_t number) const;
  void finish_workflow(Workload& workload) const;
  [[noreturn]] void fail(std::string problem, std::string expected = "") const {
    throw InputError({script_.script().name, 0, std::move(problem), std::move(expected)});
  }

  LoadedScript script_;
  const WorkloadScriptContext& context_;
  Hook jobs_;
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

JobSpec Generator::read(const LuaRef& yielded, std::int64_t number) const {
  const std::string path = fmt::format("job {}", number);
  JobSpec spec;
  script_.state().protect([&](lua_State* L) {
    yielded.push(L);
    if (!lua_istable(L, -1))
      fail(fmt::format("{}: the script yields a {}", path, luaL_typename(L, -1)),
           "a table such as { submit = 0, nodes = 4, runtime = 600 }");
    spec = read_job(L, -1, yielded_keys(), script_.script().name, path);
    lua_pop(L, 1);
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
    if (number > kMaxJobs)
      fail(fmt::format("the script yields more than {} jobs", kMaxJobs), "an end of what it yields");
    JobSpec spec = read(call.value(1), number);
    Job job = job_of(spec, number, per_node, workload.extras);
    request_for(job, spec.nodes, spec.request, context_.machine, workload.requests);
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
                             ResourceProfiles* profiles) {
  try {
    return Generator(script, context).run(params, profiles);
  } catch (const ScriptError& e) {
    throw InputError(e.diagnostic());
  }
}

std::vector<ParamSpec> workload_script_params(const Script& script, const ScriptContext& context) {
  return declared_params(script, context, kWorkloadScript);
}

}  // namespace coslice

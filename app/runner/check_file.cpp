#include "runner/check_file.h"

#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <lua.hpp>

#include "api/policy/find_policy.h"
#include "api/policy/policy.h"
#include "api/scripts/job_script.h"
#include "api/scripts/outage_script.h"
#include "api/scripts/workload_script.h"
#include "core/error.h"
#include "formats/recorded.h"
#include "report/markup.h"
#include "runner/run_checks.h"
#include "runner/runner.h"
#include "scenario/load.h"

namespace coslice {
namespace {

std::string count_of(const Workload& w) {
  std::int64_t dropped = 0;
  for (const TraceNote& n : w.notes) dropped += n.dropped ? n.count : 0;
  std::string out = counted(std::ssize(w.jobs), "job");
  return dropped > 0 ? out + fmt::format(", {} dropped", counted(dropped, "record")) : out;
}

CheckedFile check_scenario_file(const std::string& path) {
  const Runner runner(load_scenario(path));
  check_before_run(runner);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < runner.policies(); ++i) names.push_back(runner.policy(i).name);
  return {FileKind::kScenario,
          fmt::format("{} on {} under {}", count_of(runner.workload()), counted(runner.machine().nodes, "node"),
                      fmt::join(names, ", ")),
          runner.warnings()};
}

CheckedFile check_trace(const std::string& path) {
  const Workload w = read_trace(path).workload;
  return {FileKind::kTrace, count_of(w), {}};
}

CheckedFile check_policy(const std::string& path) {
  const FoundPolicy found = find_policy(path);
  PolicyContext context;
  context.roots = found.roots;
  context.print = [](std::string_view) {};
  const Policy policy(found.script, Value::table(), context);
  const PolicyDescription& d = policy.description();
  return {FileKind::kPolicy,
          fmt::format("{} version {}, {}", d.name, d.version, counted(std::ssize(d.params), "parameter")),
          {}};
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::vector<ModuleRoot> roots_of(const std::string& path) {
  return {{folder_of(path), "", folder_of(path)}, {"", "lib/", "the built-in library"}};
}

/// Which of the fields `jobs`, `job` and `outages` the table has that the script returns: that of a workload script, of
/// a job script or of a script of outages. "" if none: a script that does not run is neither, and the loader of
/// policies will say why.
std::string field_of_script(const Script& script, const std::vector<ModuleRoot>& roots) {
  std::string found;
  try {
    LuaState state;
    state.set_print([](std::string_view) {});
    set_module_roots(state, roots);
    const LuaRef result = run_script(state, script);
    state.protect([&](lua_State* L) {
      result.push(L);
      if (!lua_istable(L, -1)) return;
      for (const char* field : {"job", "jobs", "outages"}) {
        if (lua_getfield(L, -1, field) != LUA_TNIL) found = field;
        lua_pop(L, 1);
      }
    });
  } catch (const InputError&) {
  } catch (const SimulationError&) {}
  return found;
}

/// A script that declares these parameters.
CheckedFile checked(FileKind kind, const std::vector<ParamSpec>& params) {
  return {kind, counted(std::ssize(params), "parameter"), {}};
}

CheckedFile check_script(const std::string& path) {
  const Script script = read_script(path);
  if (path.ends_with("_test.lua")) {
    LuaState state;
    compile(state, script, new_environment(state));
    return {FileKind::kSuite, "compiles; `coslice test` runs it", {}};
  }
  const std::vector<ModuleRoot> roots = roots_of(path);
  const std::string field = field_of_script(script, roots);
  const ScriptContext context{{}, 1, roots};
  if (field == "job") return checked(FileKind::kJobScript, job_script_params(script, context));
  if (field == "outages") return checked(FileKind::kOutageScript, outage_script_params(script, context));
  if (field == "jobs") return checked(FileKind::kWorkloadScript, workload_script_params(script, context));
  return check_policy(path);
}

}  // namespace

const char* kind_name(FileKind kind) {
  switch (kind) {
    case FileKind::kScenario: return "scenario";
    case FileKind::kPolicy: return "policy";
    case FileKind::kWorkloadScript: return "workload script";
    case FileKind::kJobScript: return "job script";
    case FileKind::kOutageScript: return "outage script";
    case FileKind::kSuite: return "test suite";
    case FileKind::kTrace: break;
  }
  return "trace";
}

CheckedFile check_file(const std::string& path) {
  if (path.ends_with(".toml")) return check_scenario_file(path);
  return path.ends_with(".lua") ? check_script(path) : check_trace(path);
}

}  // namespace coslice

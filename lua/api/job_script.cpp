#include "api/job_script.h"

#include <algorithm>
#include <lua.hpp>
#include <unordered_set>

#include <fmt/format.h>

#include "api/job_spec.h"
#include "api/known_fields.h"
#include "api/random_library.h"
#include "core/error.h"
#include "host/call.h"
#include "host/state.h"
#include "workload/describe.h"
#include "workload/trace_clock.h"

namespace coslice {

namespace {

constexpr long long kJobScriptApi = 1;
constexpr std::int64_t kMostProcesses = 100'000'000;
constexpr std::size_t kMostJobs = 10'000'000;
const char* const kExpected = "a job, a list of jobs, or false to leave it out";

/// The script, loaded and checked; and what it has made so far.
class JobScript {
 public:
  JobScript(const Script& script, const JobScriptContext& context)
      : script_(script), state_(context.limits), random_(state_, context.seed, "jobs") {
    set_module_roots(state_, context.roots);
    const LuaRef environment = new_environment(state_);
    random_.install(state_, environment);
    table_ = run_script(state_, script, environment);
    state_.protect([&](lua_State* L) { read(L); });
  }

  const std::vector<ParamSpec>& params() const { return specs_; }

  void run(const Value& given, Workload& workload) {
    const Value params = resolve_params(specs_, given, fmt::format("job script '{}'", name_), true);
    state_.protect([&](lua_State* L) {
      push_value(L, params);
      refuse_unknown_fields(L, "the script's 'params' have");
      params_ = LuaRef::pop(L);
      push_value(L, log_of(workload));
      refuse_unknown_fields(L, "the log has");
      log_ = LuaRef::pop(L);
    });
    for (const Job& job : workload.jobs) largest_ = std::max(largest_, job.id);
    for (const Job& job : workload.jobs) one(job);
    check_numbers();
    std::stable_sort(made_.begin(), made_.end(), [](const Job& a, const Job& b) { return a.submit < b.submit; });
    workload.jobs = std::move(made_);
    note(workload, "left out by the job script", dropped_, true);
    note(workload, "changed by the job script", changed_, false);
    note(workload, "added by the job script, which makes several of one", added_, false);
  }

 private:
  static void note(Workload& w, const char* reason, std::int64_t count, bool dropped) {
    if (count > 0) w.notes.push_back({reason, count, 0, dropped});
  }

  void read(lua_State* L) {
    table_.push(L);
    if (!lua_istable(L, -1)) {
      throw InputError({script_.name, 0, "the job script returns no table",
                        "return { api = 1, name = ..., job = function(job, params) ... end }", "", ""});
    }
    const FieldReader f(L, -1, script_.name, script_.text, "job script");
    f.only({"api", "name", "version", "description", "params", "job"});
    if (!f.has("api") || f.integer("api", 1) != kJobScriptApi)
      f.fail("api", "the job script is written for another interface", "api = 1");
    name_ = f.text("name");
    f.text("version", "");
    f.text("description", "");
    if (f.has("params")) {
      f.push("params");
      if (!lua_istable(L, -1))
        f.fail("params", "job script: field 'params' is not a table", "name = { default = ..., doc = ... }");
      specs_ = read_param_specs(L, -1, script_.name, script_.text);
      lua_pop(L, 1);
    }
    f.require_function("job");
    f.push("job");
    function_ = LuaRef::pop(L);
  }

  static Value log_of(const Workload& workload) {
    Value log = Value::table();
    log.set("name", workload.name);
    log.set("jobs", static_cast<std::int64_t>(workload.jobs.size()));
    log.set("processors", machine_of(workload));
    HourSource source;
    const std::int64_t of_day = second_of_day_at_0(workload.header, source);
    if (source != HourSource::kTrace) log.set("second_of_day", of_day);
    if (const auto clock = trace_clock(workload.header)) log.set("unix_time", clock->unix_at_0);
    return log;
  }

  static Value machine_of(const Workload& workload) {
    return workload.header.max_procs > 0 ? workload.header.max_procs : workload.header.max_nodes;
  }

  void one(const Job& job) {
    static const std::string label = "function 'job' of the job script";
    Call call(state_, function_, label);
    state_.protect([&](lua_State* L) {
      push_job(L, job);
      given_ = LuaRef::pop(L);
    });
    call.push(given_).push(params_).push(log_).invoke(1);
    const LuaRef result = call.value(1);
    bool good = true;
    state_.protect([&](lua_State* L) {
      result.push(L);
      good = take(L, job);
    });
    if (!good) call.fail(1, kExpected);
    if (made_.size() > kMostJobs)
      throw InputError({script_.name, 0, fmt::format("the script makes more than {} jobs", kMostJobs), "", "", ""});
  }

  static void push_job(lua_State* L, const Job& job) {
    lua_createtable(L, 0, 14);
    const auto integer = [&](const char* name, std::int64_t n) {
      if (n < 0) return;
      lua_pushinteger(L, n);
      lua_setfield(L, -2, name);
    };
    const auto number = [&](const char* name, Duration d) {
      lua_pushnumber(L, to_seconds(d));
      lua_setfield(L, -2, name);
    };
    integer("id", job.id);
    number("submit", job.submit.time_since_epoch());
    number("runtime", job.runtime);
    if (job.limit_given) number("limit", job.limit);
    integer("processes", job.size);
    integer("user", job.user);
    integer("group", job.group);
    integer("executable", job.executable);
    integer("queue", job.queue);
    integer("partition", job.partition);
    integer("status", job.status);
    integer("memory", job.requested_memory_kb);
    integer("after", job.preceding);
    if (job.think_time >= Duration::zero()) number("think", job.think_time);
  }

  /// Takes what the function returned, on the top of the stack; false if it is nothing that it may return.
  bool take(lua_State* L, const Job& job) {
    if (lua_isnil(L, -1) || (lua_isboolean(L, -1) && lua_toboolean(L, -1) == 0)) return ++dropped_, true;
    if (!lua_istable(L, -1)) return false;
    const bool list = lua_rawgeti(L, -1, 1) != LUA_TNIL;
    lua_pop(L, 1);
    if (!list) {
      if (is_empty(L)) return ++dropped_, true;  // a list without jobs
      add(read_job(L, job), job);
      return true;
    }
    const auto count = static_cast<lua_Integer>(lua_rawlen(L, -1));
    for (lua_Integer i = 1; i <= count; ++i) {
      if (lua_rawgeti(L, -1, i) != LUA_TTABLE) return false;
      Job part = read_job(L, job);
      if (i > 1 && part.id == job.id) part.id = ++largest_;
      lua_pop(L, 1);
      if (i == 1) add(part, job);
      else made_.push_back(part), ++added_;
    }
    return true;
  }

  static bool is_empty(lua_State* L) {
    if (lua_getmetatable(L, -1) != 0) return lua_pop(L, 1), false;  // its fields may come from there
    lua_pushnil(L);
    if (lua_next(L, -2) == 0) return true;
    lua_pop(L, 2);
    return false;
  }

  void add(const Job& made, const Job& before) {
    if (!same(made, before)) ++changed_;
    made_.push_back(made);
  }

  static bool same(const Job& a, const Job& b) {
    return a.id == b.id && a.submit == b.submit && a.runtime == b.runtime && a.limit == b.limit &&
           a.limit_given == b.limit_given && a.size == b.size && a.user == b.user && a.group == b.group &&
           a.executable == b.executable && a.queue == b.queue && a.partition == b.partition && a.status == b.status &&
           a.requested_memory_kb == b.requested_memory_kb && a.preceding == b.preceding && a.think_time == b.think_time;
  }

  /// The job that the table on the top of the stack says; `before` is what the script was given.
  Job read_job(lua_State* L, const Job& before) const {
    const FieldReader f(L, -1, script_.name, "", fmt::format("job {}", before.id));
    f.only({"id", "submit", "processes", "runtime", "limit", "user", "group", "queue", "partition", "executable",
            "status", "memory", "after", "think"});
    const auto time = [&](const char* name, Duration old, double least, double most) {
      const double seconds = f.number(name);
      return seconds == to_seconds(old) ? old : read_job_span(f, name, least, most);
    };
    Job job;
    job.id = f.has("id") ? f.integer("id", 0) : before.id;
    job.submit = Time{time("submit", before.submit.time_since_epoch(), 0, kMaxSubmitSeconds)};
    job.runtime = time("runtime", before.runtime, 1e-9, kMaxSeconds);
    job.limit_given = f.has("limit");
    if (job.limit_given) job.limit = time("limit", before.limit, 1e-9, kMaxSeconds);
    else job.limit = job.runtime;
    const long long processes = f.integer("processes", 1);
    if (processes > kMostProcesses)
      f.fail("", fmt::format("job {} has {} processes", before.id, processes), "at most 100,000,000");
    job.size = static_cast<std::int32_t>(processes);
    read_job_owner(f, job);
    if (f.has("think")) job.think_time = time("think", before.think_time, 0, kMaxSeconds);
    job.used_memory_kb = before.used_memory_kb;
    return job;
  }

  void check_numbers() const {
    std::unordered_set<std::int64_t> numbers;
    for (const Job& job : made_) {
      if (numbers.insert(job.id).second) continue;
      throw InputError({script_.name, 0, fmt::format("two jobs have the number {}", job.id), "numbers of their own",
                        "leave `id` out of jobs that the script adds", ""});
    }
  }

  const Script& script_;
  LuaState state_;
  RandomLibrary random_;
  LuaRef table_, function_, params_, log_, given_;
  std::string name_;
  std::vector<ParamSpec> specs_;
  std::vector<Job> made_;
  std::int64_t largest_ = 0, dropped_ = 0, changed_ = 0, added_ = 0;
};

}  // namespace

void run_job_script(const Script& script, const Value& params, const JobScriptContext& context, Workload& workload) {
  try {
    JobScript(script, context).run(params, workload);
  } catch (const ScriptError& e) {
    throw InputError(e.diagnostic());
  }
}

std::vector<ParamSpec> job_script_params(const Script& script, const JobScriptContext& context) {
  return JobScript(script, context).params();
}

}  // namespace coslice

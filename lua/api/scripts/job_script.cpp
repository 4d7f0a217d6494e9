#include "api/scripts/job_script.h"

#include <algorithm>
#include <lua.hpp>
#include <unordered_set>

#include <fmt/format.h>

#include "api/jobs/job_values.h"
#include "core/error.h"
#include "host/bind.h"
#include "host/call.h"
#include "jobs/workflow.h"

namespace coslice {
namespace {

constexpr std::size_t kMostJobs = 10'000'000;
const char* const kExpected = "a job, a list of jobs, or false to leave it out";
const ScriptKind kJobScript = {
    "job script", "jobs", "return { api = 1, name = ..., job = function(job, params) ... end }", {"job"}};
const char kFormerNames = 0;  ///< its address is the registry key of the metatable of jobs

/// job.think of older scripts: the same as job.think_time.
int former_field(lua_State* L) {
  lua_settop(L, 2);
  for (const Attribute& a : kAttributes) {
    if (a.former.empty() || lua_type(L, 2) != LUA_TSTRING || a.former != lua_tostring(L, 2)) continue;
    lua_pushlstring(L, a.name.data(), a.name.size());
    lua_rawget(L, 1);
    return 1;
  }
  return 0;
}

/// The script, loaded and checked; and what it has made so far.
class JobScript {
 public:
  JobScript(const Script& script, const ScriptContext& context)
      : script_(script, context, kJobScript), function_(script_.function("job")) {}

  void run(const Value& given, Workload& workload) {
    params_ = script_.params_table(given);
    log_ = script_.table(log_of(workload), "the log has");
    extras_ = workload.extras;
    for (const Job& job : workload.jobs) largest_ = std::max(largest_, job.id);
    for (const Job& job : workload.jobs) one(job);
    check_numbers();
    std::ranges::stable_sort(made_, {}, &Job::submit);
    workload.jobs = std::move(made_);
    workload.extras = std::move(extras_);
    finish_workflow(workload);
    for (std::string& warning : former_name_warnings(former_)) workload.warnings.push_back(std::move(warning));
    note(workload, "left out by the job script", dropped_, true);
    note(workload, "changed by the job script", changed_, false);
    note(workload, "added by the job script, which makes several of one", added_, false);
  }

 private:
  static void note(Workload& w, const char* reason, std::int64_t count, bool dropped) {
    if (count > 0) w.notes.push_back({reason, count, 0, dropped});
  }

  static Value log_of(const Workload& workload) {
    Value log = Value::table(
        {{"name", workload.name}, {"jobs", std::ssize(workload.jobs)}, {"processors", machine_of(workload)}});
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
    Call call(script_.state(), function_.function, function_.label);
    given_ = script_.state().make([&](lua_State* L) {
      push_whole_job(L, job, Unknown::kNil);
      push_former_names(L);
      lua_setmetatable(L, -2);
    });
    call.push(given_).push(params_).push(log_).invoke(1);
    const LuaRef result = call.value(1);
    bool good = true;
    script_.state().protect([&](lua_State* L) {
      result.push(L);
      good = take(L, job);
    });
    if (!good) call.fail(1, kExpected);
    if (made_.size() > kMostJobs) fail(fmt::format("the script makes more than {} jobs", kMostJobs));
  }

  static void push_former_names(lua_State* L) {
    luahost::push_kept(L, &kFormerNames, [&] {
      lua_createtable(L, 0, 1);
      luahost::set_functions(L, {{"__index", luahost::guarded<former_field>}});
    });
  }

  [[noreturn]] void fail(std::string problem, std::string expected = "", std::string suggestion = "") const {
    throw InputError({script_.script().name, 0, std::move(problem), std::move(expected), std::move(suggestion)});
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
    return a.limit_given == b.limit_given && std::ranges::all_of(kAttributes, [&](const Attribute& at) {
             if (at.is_text()) return at.text(a) == at.text(b);
             return at.is_time() ? at.span(a) == at.span(b) : at.whole(a) == at.whole(b);
           });
  }

  /// The job that the table on the top of the stack says; `before` is what the script was given.
  Job read_job(lua_State* L, const Job& before) {
    const std::string path = fmt::format("job {}", before.id);
    prefer_former_names(L, before);
    JobSpec spec = coslice::read_job(L, -1, attribute_keys(), script_.script().name, path);
    if (spec.job.size == 0) fail(path + " has no processes", "a whole number from 1 on");
    lua_pushliteral(L, "submit");
    if (lua_rawget(L, -2) == LUA_TNIL) fail(path + " has no submit", "seconds");
    lua_pop(L, 1);
    former_.merge(spec.former_names);
    if (spec.job.id < 0) spec.job.id = before.id;
    spec.job.used_memory_kb = before.used_memory_kb;
    Job job = job_of(spec, before.id, 1, extras_);
    job.request = before.request;  // scripts do not see it
    keep_nanoseconds(job.runtime, before.runtime);
    keep_nanoseconds(job.limit, job.limit_given ? before.limit : before.runtime);
    JobExtras extras = *job.extras;
    keep_nanoseconds(extras.think_time, before.extras->think_time);
    for (Duration JobExtras::*at : kInstantsOfJobs) keep_nanoseconds(extras.*at, before.extras->*at);
    extras_.set(job, std::move(extras));
    Duration submit = job.submit.time_since_epoch();
    keep_nanoseconds(submit, before.submit.time_since_epoch());
    job.submit = Time{submit};
    return job;
  }

  /// Where the script set an older name and left the new one as it was given, the older one counts.
  static void prefer_former_names(lua_State* L, const Job& before) {
    for (const Attribute& a : kAttributes) {
      if (a.former.empty()) continue;
      lua_pushlstring(L, a.former.data(), a.former.size());
      if (lua_rawget(L, -2) != LUA_TNIL) {
        lua_pushlstring(L, a.name.data(), a.name.size());
        lua_rawget(L, -3);
        push_attribute(L, before, a);
        if (lua_compare(L, -1, -2, LUA_OPEQ) != 0) {
          lua_pushlstring(L, a.name.data(), a.name.size());
          lua_pushnil(L);
          lua_rawset(L, -6);
        }
        lua_pop(L, 2);
      }
      lua_pop(L, 1);
    }
  }

  /// A number of seconds that the script did not change stands for the instant that it was made of.
  static void keep_nanoseconds(Duration& now, Duration before) {
    if (now == from_seconds(to_seconds(before))) now = before;
  }

  /// Jobs may depend on jobs that were left out: these count for nothing.
  void finish_workflow(Workload& workload) const {
    try {
      expand_arrays(workload);
    } catch (const InputError& e) {
      fail("wrong " + e.diagnostic().problem, e.diagnostic().expected);
    }
    if (const auto problem = workflow_of(workload.jobs, false).problem)
      fail(fmt::format("job {} {}", workload.jobs[problem->job].id, problem->what), problem->expected);
  }

  void check_numbers() const {
    std::unordered_set<std::int64_t> numbers;
    for (const Job& job : made_) {
      if (numbers.insert(job.id).second) continue;
      fail(fmt::format("two jobs have the number {}", job.id), "numbers of their own",
           "leave `id` out of jobs that the script adds");
    }
  }

  LoadedScript script_;
  Hook function_;
  LuaRef params_, log_, given_;
  JobExtrasStore extras_;
  std::set<std::string> former_;  ///< older names that the script used
  std::vector<Job> made_;
  std::int64_t largest_ = 0, dropped_ = 0, changed_ = 0, added_ = 0;
};

}  // namespace

void run_job_script(const Script& script, const Value& params, const ScriptContext& context, Workload& workload) {
  try {
    JobScript(script, context).run(params, workload);
  } catch (const ScriptError& e) {
    throw InputError(e.diagnostic());
  }
}

std::vector<ParamSpec> job_script_params(const Script& script, const ScriptContext& context) {
  return declared_params(script, context, kJobScript);
}

}  // namespace coslice

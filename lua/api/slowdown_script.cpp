#include "api/slowdown_script.h"

#include <lua.hpp>

#include <fmt/format.h>

#include "api/known_fields.h"
#include "api/script_text.h"
#include "core/error.h"
#include "core/hash.h"
#include "host/call.h"
#include "host/state.h"

namespace coslice {

namespace {

constexpr long long kSlowdownApi = 1;
constexpr const char* kRange = "a number above 0.01 and below 1000";

void set_field(lua_State* L, const char* name, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, name);
}

void set_field(lua_State* L, const char* name, std::int64_t value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

/// A table as slowdown scripts see jobs: with the true run time, for they describe the machine and decide nothing.
void push_job(lua_State* L, const Job& job) {
  lua_createtable(L, 0, 12);
  set_field(L, "id", job.id);
  set_field(L, "submit", to_seconds(job.submit));
  set_field(L, "processes", std::int64_t{job.size});
  set_field(L, "runtime", to_seconds(job.runtime));
  set_field(L, "limit", to_seconds(job.limit));
  set_field(L, "user", std::int64_t{job.user});
  set_field(L, "group", std::int64_t{job.group});
  set_field(L, "queue", std::int64_t{job.queue});
  set_field(L, "partition", std::int64_t{job.partition});
  set_field(L, "executable", std::int64_t{job.executable});
  set_field(L, "memory", std::int64_t{job.requested_memory_kb});
  refuse_unknown_fields(L, "a job has");
}

class ScriptedSlowdowns : public SlowdownModel {
 public:
  ScriptedSlowdowns(const Script& script, const SlowdownScriptContext& context)
      : script_(script), state_(context.limits) {
    set_module_roots(state_, context.roots);
    table_ = run_script(state_, script);
    state_.protect([&](lua_State* L) { read(L); });
  }

  const std::vector<ParamSpec>& params() const { return specs_; }
  void ask_all(const Value& given, const Workload& workload);

  double over_processors(JobIndex j) const override { return processors_[j]; }
  double over_cores(JobIndex j) const override { return cores_[j]; }
  double beside(JobIndex j, JobIndex other) const override { return pair(beside_, answers_, j, other); }
  double beside_apart(JobIndex j, JobIndex other) const override {
    return apart_.value ? pair(apart_, apart_answers_, j, other) : beside(j, other);
  }
  std::string_view application(JobIndex j) const override {
    return application_of_.empty() ? std::string_view() : applications_[application_of_[j]];
  }

 private:
  struct Function {
    LuaRef value;
    std::string label;
  };
  struct Answer {
    JobIndex job = kNoJob, other = kNoJob;
    double value = 1;
  };
  static constexpr std::size_t kAnswers = std::size_t{1} << 16;

  void read(lua_State* L);
  LuaRef job_table(JobIndex j) const;
  double ask(const Function& function, JobIndex j, JobIndex other = kNoJob) const;
  std::vector<double> ask_each(const Function& function) const;
  void ask_applications();
  double pair(const Function& function, std::vector<Answer>& answers, JobIndex j, JobIndex other) const;

  Script script_;
  mutable LuaState state_;
  LuaRef table_, params_;
  Function over_processors_, over_cores_, beside_, apart_, application_;
  std::string name_;
  std::vector<ParamSpec> specs_;
  const std::vector<Job>* jobs_ = nullptr;
  std::vector<double> processors_, cores_;
  std::vector<std::string> applications_;
  std::vector<std::uint32_t> application_of_;
  mutable std::vector<Answer> answers_, apart_answers_;  ///< the last one for each remainder of the pair's hash
};

void ScriptedSlowdowns::read(lua_State* L) {
  table_.push(L);
  if (!lua_istable(L, -1)) {
    throw InputError({script_.name, 0, "the slowdown script returns no table",
                      "return { api = 1, name = ..., beside = function(job, other, params) ... end }", "", ""});
  }
  const FieldReader f(L, -1, script_.name, script_.text, "slowdown script");
  f.only({"api", "name", "version", "description", "params", "over_processors", "over_cores", "beside", "beside_apart",
          "application"});
  if (!f.has("api") || f.integer("api", 1) != kSlowdownApi)
    f.fail("api", "the slowdown script is written for another interface", "api = 1");
  name_ = f.text("name");
  f.text("version", "");
  f.text("description", "");
  if (f.has("params")) {
    f.push("params");
    if (!lua_istable(L, -1))
      f.fail("params", "slowdown script: field 'params' is not a table", "name = { default = ..., doc = ... }");
    specs_ = read_param_specs(L, -1, script_.name, script_.text);
    lua_pop(L, 1);
  }
  const auto function = [&](const char* name, Function& out) {
    if (!f.has(name)) return;
    f.require_function(name);
    f.push(name);
    out = {LuaRef::pop(L), fmt::format("function '{}' of the slowdown script", name)};
  };
  function("over_processors", over_processors_);
  function("over_cores", over_cores_);
  function("beside", beside_);
  function("beside_apart", apart_);
  function("application", application_);
  if (!over_processors_.value && !over_cores_.value && !beside_.value && !apart_.value) {
    throw InputError({script_.name, 0, "the slowdown script has no function",
                      "one of over_processors, over_cores, beside, beside_apart", "", ""});
  }
}

void ScriptedSlowdowns::ask_all(const Value& given, const Workload& workload) {
  const Value params = resolve_params(specs_, given, fmt::format("slowdown script '{}'", name_), true);
  state_.protect([&](lua_State* L) {
    push_value(L, params);
    refuse_unknown_fields(L, "the script's 'params' have");
    params_ = LuaRef::pop(L);
  });
  jobs_ = &workload.jobs;
  processors_ = ask_each(over_processors_);
  cores_ = ask_each(over_cores_);
  if (application_.value) ask_applications();
  // A pair is asked for long after loading; a function that does not work at all should be found now.
  if (jobs_->empty()) return;
  beside(0, static_cast<JobIndex>(jobs_->size() - 1));
  beside_apart(0, static_cast<JobIndex>(jobs_->size() - 1));
}

std::vector<double> ScriptedSlowdowns::ask_each(const Function& function) const {
  std::vector<double> values(jobs_->size(), 1.0);
  if (!function.value) return values;
  for (JobIndex j = 0; j != values.size(); ++j) values[j] = ask(function, j);
  return values;
}

LuaRef ScriptedSlowdowns::job_table(JobIndex j) const {
  LuaRef table;
  state_.protect([&](lua_State* L) {
    push_job(L, (*jobs_)[j]);
    table = LuaRef::pop(L);
  });
  return table;
}

/// The function for a job, or for a job and another one.
double ScriptedSlowdowns::ask(const Function& function, JobIndex j, JobIndex other) const {
  const LuaRef job = job_table(j), second = other == kNoJob ? LuaRef() : job_table(other);
  Call call(state_, function.value, function.label);
  call.push(job);
  if (other != kNoJob) call.push(second);
  call.push(params_).invoke(1);
  const double slowdown = call.number(1);
  if (!(slowdown > 0.01 && slowdown < 1000)) call.fail(1, kRange);
  return slowdown;
}

void ScriptedSlowdowns::ask_applications() {
  for (JobIndex j = 0; j != jobs_->size(); ++j) {
    const LuaRef job = job_table(j);
    Call call(state_, application_.value, application_.label);
    call.push(job).push(params_).invoke(1);
    const std::string name = call.string(1);
    std::size_t i = 0;
    while (i != applications_.size() && applications_[i] != name) ++i;
    if (i == applications_.size()) applications_.push_back(name);
    application_of_.push_back(static_cast<std::uint32_t>(i));
  }
}

double ScriptedSlowdowns::pair(const Function& function, std::vector<Answer>& answers, JobIndex j,
                               JobIndex other) const {
  if (!function.value) return 1;
  if (answers.empty()) answers.resize(kAnswers);
  Answer& answer = answers[hash_mix(hash_mix(0, j), other) % kAnswers];
  if (answer.job != j || answer.other != other) answer = {j, other, ask(function, j, other)};
  return answer.value;
}

}  // namespace

std::unique_ptr<SlowdownModel> load_slowdown_script(const Script& script, const Value& params, const Workload& workload,
                                                    const SlowdownScriptContext& context) {
  try {
    auto model = std::make_unique<ScriptedSlowdowns>(script, context);
    model->ask_all(params, workload);
    return model;
  } catch (const ScriptError& e) {
    throw InputError(e.diagnostic());
  }
}

std::vector<ParamSpec> slowdown_script_params(const Script& script, const SlowdownScriptContext& context) {
  return ScriptedSlowdowns(script, context).params();
}

}  // namespace coslice

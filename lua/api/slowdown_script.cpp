#include "api/slowdown_script.h"

#include <lua.hpp>

#include <fmt/format.h>

#include "api/job_values.h"
#include "api/known_fields.h"
#include "core/error.h"
#include "core/hash.h"
#include "host/call.h"

namespace coslice {

namespace {

constexpr const char* kRange = "a number above 0.01 and below 1000";
const ScriptKind kSlowdownScript = {"slowdown script",
                          "",
                          "return { api = 1, name = ..., beside = function(job, other, params) ... end }",
                          {"over_processors", "over_cores", "beside", "beside_apart", "application"}};

class ScriptedSlowdowns : public SlowdownModel {
 public:
  ScriptedSlowdowns(const Script& script, const ScriptContext& context)
      : script_(script, context, kSlowdownScript), over_processors_(script_.function("over_processors", true)),
        over_cores_(script_.function("over_cores", true)), beside_(script_.function("beside", true)),
        apart_(script_.function("beside_apart", true)), application_(script_.function("application", true)) {
    if (!over_processors_ && !over_cores_ && !beside_ && !apart_)
      throw InputError({script.name, 0, "the slowdown script has no function",
                        "one of over_processors, over_cores, beside, beside_apart", "", ""});
  }

  const std::vector<ParamSpec>& params() const { return script_.params(); }
  void ask_all(const Value& given, const Workload& workload);

  double over_processors(JobIndex j) const override { return processors_[j]; }
  double over_cores(JobIndex j) const override { return cores_[j]; }
  double beside(JobIndex j, JobIndex other) const override { return pair(beside_, answers_, j, other); }
  double beside_apart(JobIndex j, JobIndex other) const override {
    return apart_ ? pair(apart_, apart_answers_, j, other) : beside(j, other);
  }
  std::string_view application(JobIndex j) const override {
    return application_of_.empty() ? std::string_view() : applications_[application_of_[j]];
  }

 private:
  struct Answer {
    JobIndex job = kNoJob, other = kNoJob;
    double value = 1;
  };
  static constexpr std::size_t kAnswers = std::size_t{1} << 16;

  LuaRef job_table(JobIndex j) const;
  double ask(const Hook& function, JobIndex j, JobIndex other = kNoJob) const;
  std::vector<double> ask_each(const Hook& function) const;
  void ask_applications();
  double pair(const Hook& function, std::vector<Answer>& answers, JobIndex j, JobIndex other) const;

  LoadedScript script_;
  LuaRef params_;
  Hook over_processors_, over_cores_, beside_, apart_, application_;
  const std::vector<Job>* jobs_ = nullptr;
  std::vector<double> processors_, cores_;
  std::vector<std::string> applications_;
  std::vector<std::uint32_t> application_of_;
  mutable std::vector<Answer> answers_, apart_answers_;  ///< the last one for each remainder of the pair's hash
};

void ScriptedSlowdowns::ask_all(const Value& given, const Workload& workload) {
  params_ = script_.params_table(given);
  jobs_ = &workload.jobs;
  processors_ = ask_each(over_processors_);
  cores_ = ask_each(over_cores_);
  if (application_) ask_applications();
  // A pair is asked for long after loading; a function that does not work at all should be found now.
  if (jobs_->empty()) return;
  beside(0, static_cast<JobIndex>(jobs_->size() - 1));
  beside_apart(0, static_cast<JobIndex>(jobs_->size() - 1));
}

std::vector<double> ScriptedSlowdowns::ask_each(const Hook& function) const {
  std::vector<double> values(jobs_->size(), 1.0);
  if (!function) return values;
  for (JobIndex j = 0; j != values.size(); ++j) values[j] = ask(function, j);
  return values;
}

LuaRef ScriptedSlowdowns::job_table(JobIndex j) const {
  LuaRef table;
  script_.state().protect([&](lua_State* L) {
    push_whole_job(L, (*jobs_)[j], Unknown::kMinusOne);
    refuse_unknown_fields(L, "a job has");
    table = LuaRef::pop(L);
  });
  return table;
}

/// The function for a job, or for a job and another one.
double ScriptedSlowdowns::ask(const Hook& function, JobIndex j, JobIndex other) const {
  const LuaRef job = job_table(j), second = other == kNoJob ? LuaRef() : job_table(other);
  Call call(script_.state(), function.function, function.label);
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
    Call call(script_.state(), application_.function, application_.label);
    call.push(job).push(params_).invoke(1);
    const std::string name = call.string(1);
    std::size_t i = 0;
    while (i != applications_.size() && applications_[i] != name) ++i;
    if (i == applications_.size()) applications_.push_back(name);
    application_of_.push_back(static_cast<std::uint32_t>(i));
  }
}

double ScriptedSlowdowns::pair(const Hook& function, std::vector<Answer>& answers, JobIndex j, JobIndex other) const {
  if (!function) return 1;
  if (answers.empty()) answers.resize(kAnswers);
  Answer& answer = answers[hash_mix(hash_mix(0, j), other) % kAnswers];
  if (answer.job != j || answer.other != other) answer = {j, other, ask(function, j, other)};
  return answer.value;
}

}  // namespace

std::unique_ptr<SlowdownModel> load_slowdown_script(const Script& script, const Value& params, const Workload& workload,
                                                    const ScriptContext& context) {
  try {
    auto model = std::make_unique<ScriptedSlowdowns>(script, context);
    model->ask_all(params, workload);
    return model;
  } catch (const ScriptError& e) {
    throw InputError(e.diagnostic());
  }
}

std::vector<ParamSpec> slowdown_script_params(const Script& script, const ScriptContext& context) {
  return ScriptedSlowdowns(script, context).params();
}

}  // namespace coslice

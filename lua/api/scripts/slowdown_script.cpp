#include "api/scripts/slowdown_script.h"

#include <array>
#include <lua.hpp>
#include <utility>

#include "api/jobs/job_values.h"
#include "api/jobs/known_fields.h"
#include "core/error.h"
#include "core/random.h"
#include "host/call.h"

namespace coslice {
namespace {

constexpr const char* kRange = "a number above 0.01 and below 1000";
const ScriptKind kSlowdownScript = {
    "slowdown script",
    "",
    "return { api = 1, name = ..., beside = function(job, other, params) ... end }",
    {"over_processors", "over_cores", "beside", "beside_apart", "on_gpus", "on_slice", "application"}};

class ScriptedSlowdowns : public SlowdownModel {
 public:
  ScriptedSlowdowns(const Script& script, const ScriptContext& context)
      : script_(script, context, kSlowdownScript), over_processors_(script_.function("over_processors", true)),
        over_cores_(script_.function("over_cores", true)), beside_(script_.function("beside", true)),
        apart_(script_.function("beside_apart", true)), on_gpus_(script_.function("on_gpus", true)),
        on_slice_(script_.function("on_slice", true)), application_(script_.function("application", true)) {
    if (!over_processors_ && !over_cores_ && !beside_ && !apart_ && !on_gpus_ && !on_slice_)
      throw InputError({script.name, 0, "the slowdown script has no function that gives a slowdown",
                        "one of over_processors, over_cores, beside, beside_apart, on_gpus, on_slice"});
  }

  const std::vector<ParamSpec>& params() const { return script_.params(); }
  void ask_all(const Value& given, const Workload& workload, const std::vector<std::string>& gpu_types) {
    params_ = script_.params_table(given);
    jobs_ = &workload.jobs;
    gpu_types_ = gpu_types;
    on_slices_.resize(gpu_types.size());
    on_type_.assign(gpu_types.size(), std::vector<double>(on_gpus_ ? jobs_->size() : 0));
    processors_ = ask_each(over_processors_);
    cores_ = ask_each(over_cores_);
    if (application_) ask_applications();
    // A pair is asked for long after loading; a function that does not work at all should be found now.
    if (jobs_->empty()) return;
    beside(0, static_cast<JobIndex>(jobs_->size() - 1));
    beside_apart(0, static_cast<JobIndex>(jobs_->size() - 1));
    if (!gpu_types_.empty()) on_gpus(0, 0);
  }

  double over_processors(JobIndex j) const override { return processors_[j]; }
  double over_cores(JobIndex j) const override { return cores_[j]; }
  double beside(JobIndex j, JobIndex other) const override { return pair(beside_, answers_, {j, other}); }
  double beside_apart(JobIndex j, JobIndex other) const override {
    return apart_ ? pair(apart_, apart_answers_, {j, other}) : beside(j, other);
  }

  double beside_on(JobIndex j, JobIndex other, std::int32_t gpu_type) const override {
    return pair(beside_, answers_, {j, other, gpu_type});
  }

  double really_beside_on(JobIndex j, JobIndex other, std::int32_t gpu_type) const override {
    return beside_on(j, other, gpu_type);
  }

  double on_gpus(JobIndex j, std::int32_t gpu_type) const override {
    if (!on_gpus_ || gpu_type < 0) return 1;
    double& known = on_type_[static_cast<std::size_t>(gpu_type)][j];
    if (known == 0) known = ask(on_gpus_, {j, kNoJob, gpu_type});
    return known;
  }

  double on_gpu_instance(JobIndex j, std::int32_t gpu_type, std::int32_t slice, std::int32_t slices) const override {
    if (!on_slice_) return SlowdownModel::on_gpu_instance(j, gpu_type, slice, slices);
    auto& of_type = on_slices_[static_cast<std::size_t>(gpu_type)];
    const auto size = static_cast<std::size_t>(slice);
    if (of_type.size() <= size) of_type.resize(size + 1);
    if (of_type[size].empty()) of_type[size].assign(jobs_->size(), -1);
    double& known = of_type[size][j];
    if (known < 0) known = ask(on_slice_, {j, kNoJob, gpu_type, slice});
    return known;
  }

  std::string_view application(JobIndex j) const override {
    return application_of_.empty() ? std::string_view() : applications_[application_of_[j]];
  }

 private:
  /// Of whom and where: a job, a pair, either perhaps on GPUs of a type.
  struct Question {
    JobIndex job = kNoJob, other = kNoJob;
    std::int32_t gpu_type = -1, slice = 0;
    bool operator==(const Question&) const = default;
  };
  struct Answer {
    Question question;
    double value = 1;
  };
  static constexpr std::size_t kAnswers = std::size_t{1} << 16;

  const LuaRef& job_table(JobIndex j, std::size_t place) const {
    auto& [known, table] = tables_[place];
    if (known == j) return table;
    table = script_.state().make([&](lua_State* L) {
      push_whole_job(L, (*jobs_)[j], Unknown::kMinusOne);
      refuse_unknown_fields(L, "a job has");
    });
    known = j;
    return table;
  }

  /// The function for a job, or for a job and another one; the GPUs' type comes last.
  double ask(const Hook& function, const Question& about) const {
    const LuaRef& job = job_table(about.job, 0);
    if (about.other != kNoJob) job_table(about.other, 1);
    Call call(script_.state(), function.function, function.label);
    call.push(job);
    if (about.other != kNoJob) call.push(job_table(about.other, 1));
    call.push(params_);
    if (about.gpu_type >= 0) call.push(std::string_view(gpu_types_[static_cast<std::size_t>(about.gpu_type)]));
    if (about.slice != 0) call.push(static_cast<std::int64_t>(about.slice));
    call.invoke(1);
    if (about.slice != 0 && call.is_nil(1)) return 0;
    const double slowdown = call.number(1);
    if (!(slowdown > 0.01 && slowdown < 1000)) call.fail(1, kRange);
    return slowdown;
  }

  std::vector<double> ask_each(const Hook& function) const {
    std::vector<double> values(jobs_->size(), 1.0);
    if (!function) return values;
    for (JobIndex j = 0; j != values.size(); ++j) values[j] = ask(function, {j});
    return values;
  }

  void ask_applications() {
    for (JobIndex j = 0; j != jobs_->size(); ++j) {
      const LuaRef& job = job_table(j, 0);
      Call call(script_.state(), application_.function, application_.label);
      call.push(job).push(params_).invoke(1);
      const std::string name = call.string(1);
      std::size_t i = 0;
      while (i != applications_.size() && applications_[i] != name) ++i;
      if (i == applications_.size()) applications_.push_back(name);
      application_of_.push_back(static_cast<std::uint32_t>(i));
    }
  }

  double pair(const Hook& function, std::vector<Answer>& answers, const Question& about) const {
    if (!function) return 1;
    if (answers.empty()) answers.resize(kAnswers);
    const auto type = static_cast<std::uint64_t>(about.gpu_type + 1);
    Answer& answer = answers[hash_mix(hash_mix(type, about.job), about.other) % kAnswers];
    if (!(answer.question == about)) answer = {about, ask(function, about)};
    return answer.value;
  }

  LoadedScript script_;
  LuaRef params_;
  Hook over_processors_, over_cores_, beside_, apart_, on_gpus_, on_slice_, application_;
  const std::vector<Job>* jobs_ = nullptr;
  std::vector<double> processors_, cores_;
  std::vector<std::string> applications_;
  std::vector<std::uint32_t> application_of_;
  mutable std::vector<Answer> answers_, apart_answers_;  ///< the last one for each remainder of the pair's hash
  std::vector<std::string> gpu_types_;
  mutable std::vector<std::vector<std::vector<double>>> on_slices_;  ///< by type, slice and job; -1: not asked for
  mutable std::vector<std::vector<double>> on_type_;  ///< by type and job, those that were asked for; 0: none
  /// The last jobs that functions were asked about, as their first and second arguments: most often again.
  mutable std::array<std::pair<JobIndex, LuaRef>, 2> tables_{std::pair{kNoJob, LuaRef()}, std::pair{kNoJob, LuaRef()}};
};

}  // namespace

std::unique_ptr<SlowdownModel> load_slowdown_script(const Script& script, const Value& params, const Workload& workload,
                                                    const std::vector<std::string>& gpu_types,
                                                    const ScriptContext& context) {
  try {
    auto model = std::make_unique<ScriptedSlowdowns>(script, context);
    model->ask_all(params, workload, gpu_types);
    return model;
  } catch (const ScriptError& e) {
    throw InputError(e.diagnostic());
  }
}

}  // namespace coslice

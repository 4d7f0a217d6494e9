// Runs and their results at the C interface.
#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "door/failures.h"
#include "door/handles.h"
#include "metrics/event_summary.h"
#include "observe/picture_recorder.h"
#include "output/jobs_csv.h"
#include "output/run_folder.h"
#include "output/summary_json.h"
#include "report/gantt/gantt_chart.h"
#include "report/gantt/gantt_drawing.h"
#include "runner/story_layout.h"
#include "runner/write_run.h"
#include "scenario/build_info.h"
#include "scenario/machine/repetitions.h"

namespace coslice::door {
namespace {

constexpr std::size_t kStoryWidth = 100;  // columns

coslice_result& result_in(coslice_result* result) {
  if (result == nullptr) throw InputError({"result", 0, "is NULL", "what coslice_run() gave"});
  return *result;
}

const std::string& name_of(const Runner& runner) {
  return runner.scenario().name.empty() ? runner.workload().name : runner.scenario().name;
}

/// The tables are made when they are first asked for.
ResultTables& tables_of(coslice_result* result) {
  coslice_result& of = result_in(result);
  if (!of.tables) of.tables.emplace(of.run.result, of.prepared->runner.scenario().metrics);
  return *of.tables;
}

/// What the caller's options ask for. Members that the caller's struct does not have yet are 0.
coslice_run_options options_of(const coslice_run_options* given) {
  coslice_run_options options{};
  if (given != nullptr)
    std::copy_n(reinterpret_cast<const char*>(given), std::min(given->size, sizeof options),
                reinterpret_cast<char*>(&options));
  return options;
}

RunCallbacks callbacks_of(const coslice_run_options& options) {
  RunCallbacks callbacks;
  callbacks.print = [options](std::string_view line) {
    if (options.print != nullptr) options.print(options.user, std::string(line).c_str());
  };
  if (options.progress != nullptr)
    callbacks.progress = [options](std::size_t done, std::size_t jobs) {
      if (options.progress(options.user, done, jobs) != 0) throw Interrupted{};
    };
  return callbacks;
}

/// Makes the run of a result again, with further observers, and sees that it is the same.
PolicyRun again(const coslice_result& result, Observer& observer) {
  RunCallbacks callbacks = callbacks_of({});
  callbacks.observers = {&observer};
  callbacks.summary = SummaryUse::kNone;
  PolicyRun run = simulate(*result.prepared, result.policy, std::move(callbacks));
  if (run.result.fingerprint != result.run.result.fingerprint)
    throw SimulationError(fmt::format(
        "policy '{}' decides otherwise when the run is made again: its callbacks must forget at `begin` what they kept",
        result.run.policy.name));
  return run;
}

Value environment_of(const coslice_result& result) {
  Value environment = environment_value();
  environment.set("simulation_seconds", result.seconds);
  return environment;
}

std::string made_text(coslice_result& result, const std::string& file) {
  const Runner& runner = result.prepared->runner;
  const MetricsOptions& metrics = runner.scenario().metrics;
  if (file == "summary.json") return run_summary_json(runner, result.policy, result.run, environment_of(result));
  if (file == "summary") return run_summary_line(runner, result.policy, result.run);
  if (file == "scenario.toml") return run_scenario_toml(runner, result.policy, result.run, "");
  std::string text;
  if (file == "jobs.csv") write_jobs_csv(result.run.result, metrics, sink_to(text));
  else if (file == "timeline.csv") write_timeline_csv(result.run.result, sink_to(text));
  else
    throw InputError(
        {file, 0, "is no file of a run", "summary.json, summary, jobs.csv, timeline.csv or scenario.toml"});
  return text;
}

/// Returns the text under that key; it is made when it is first asked for.
template <class Make>
const char* kept_text(coslice_result& result, const std::string& key, Make&& make) {
  auto at = result.texts.find(key);
  if (at == result.texts.end()) at = result.texts.emplace(key, make()).first;
  return at->second.c_str();
}

JobIndex job_of_id(const Workload& workload, std::int64_t id) {
  const auto at = std::ranges::find(workload.jobs, id, &Job::id);
  if (at == workload.jobs.end()) {
    const auto [least, most] = std::ranges::minmax(workload.jobs, {}, &Job::id);
    throw InputError({fmt::format("job {}", id), 0, "there is none of that number",
                      fmt::format("one from {} to {}", least.id, most.id)});
  }
  return static_cast<JobIndex>(at - workload.jobs.begin());
}

std::string story_of(const coslice_result& result, std::int64_t id, bool as_json) {
  const Runner& runner = result.prepared->runner;
  const JobIndex job = job_of_id(runner.workload(), id);
  StoryRecorder recorder = story_recorder(runner, {job});
  const PolicyRun run = again(result, recorder);
  const JobStory story = recorder.take().front();
  StoryContext context = story_context(run, name_of(runner), job);
  if (as_json) return story_json(story, context);
  context.clock = trace_clock(run.result.workload->header);
  return laid_out(story_text(story, context), kStoryWidth, false);
}

std::string gantt_of(const coslice_result& result, const std::string& format) {
  if (format != "svg" && format != "html")
    throw InputError({"", 0, fmt::format("there is no picture '{}'", format), "'svg' or 'html'"});
  const Runner& runner = result.prepared->runner;
  SegmentRecorder recorder(runner.workload().jobs.size());
  const PolicyRun run = again(result, recorder);
  GanttOptions options;
  options.policy = run.policy.name;
  options.title = name_of(runner) + ", " + run.policy.name;
  options.program = "coslice " + program_version();
  const GanttChart chart = gantt_chart(run.result, runner.scenario().metrics, recorder.take(),
                                       {run.slice_classes, run.slice_overhead}, options);
  std::string text;
  if (format == "svg") write_gantt_svg(chart, sink_to(text));
  else write_gantt_html(chart, sink_to(text));
  return text;
}

}  // namespace
}  // namespace coslice::door

using namespace coslice;
using namespace coslice::door;

coslice_status coslice_run(const coslice_simulation* simulation, size_t policy, const coslice_run_options* given,
                           coslice_result** result) {
  return guarded([&] {
    if (simulation == nullptr || result == nullptr)
      throw InputError({"", 0, "coslice_run() got NULL", "a simulation, and where its result goes"});
    const Runner& runner = simulation->prepared->runner;
    if (policy >= runner.policies())
      throw InputError(
          {"", 0, fmt::format("there is no policy number {}", policy), fmt::format("one below {}", runner.policies())});
    const coslice_run_options options = options_of(given);
    const auto begin = std::chrono::steady_clock::now();
    auto made = std::make_unique<coslice_result>();
    made->prepared = simulation->prepared;
    made->policy = policy;
    made->run = simulate(*made->prepared, policy, callbacks_of(options));
    made->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    for (const auto& warnings : {late_reservation_warnings(made->run.result), blocked_warnings(made->run.result),
                                 repetition_warnings(runner.scenario(), made->run.result)})
      made->warnings.insert(made->warnings.end(), warnings.begin(), warnings.end());
    *result = made.release();
  });
}

void coslice_result_free(coslice_result* result) { delete result; }

const char* coslice_result_column_name(coslice_result* result, const char* table, size_t column) {
  const char* name = nullptr;
  guarded([&] {
    const auto* const names = tables_of(result).columns(required(table, "table"));
    if (names == nullptr) throw InputError({table, 0, "is no table of a result", "'jobs' or 'timeline'"});
    if (column < names->size()) name = (*names)[column].c_str();
  });
  return name;
}

coslice_status coslice_result_column(coslice_result* result, const char* table, const char* name, coslice_column* out) {
  return guarded([&] {
    pointed(out, "out") = tables_of(result).column(required(table, "table"), required(name, "name of a column"));
  });
}

coslice_status coslice_result_columns(coslice_result* result, const char* table, int texts,
                                      const coslice_column** columns, size_t* count) {
  return guarded([&] {
    const auto& all = tables_of(result).all(required(table, "table"), texts != 0);
    pointed(count, "count") = all.size();
    pointed(columns, "columns") = all.data();
  });
}

coslice_status coslice_result_figure(coslice_result* result, const char* path, double* value) {
  return guarded([&] {
    coslice_result& of = result_in(result);
    const std::string name(required(path, "path"));
    if (!of.figures) of.figures = run_summary_value(of.prepared->runner, of.policy, of.run);
    const std::optional<double> number = number_at(*of.figures, split(name, '.'));
    if (!number)
      throw InputError({"", 0, fmt::format("the run has no figure '{}'", name),
                        "the path of a number in summary.json, such as all.wait.mean"});
    pointed(value, "value") = *number;
  });
}

const char* coslice_result_text(coslice_result* result, const char* file) {
  const char* text = nullptr;
  guarded([&] {
    const std::string name(required(file, "file"));
    coslice_result& of = result_in(result);
    text = kept_text(of, name, [&] { return made_text(of, name); });
  });
  return text;
}

const char* coslice_result_policy(const coslice_result* result) {
  return result != nullptr ? result->run.policy.name.c_str() : nullptr;
}

const char* coslice_result_warning(const coslice_result* result, size_t warning) {
  return result != nullptr && warning < result->warnings.size() ? result->warnings[warning].c_str() : nullptr;
}

coslice_status coslice_results_write(coslice_result* const* results, size_t count, const char* folder) {
  return guarded([&] {
    const std::string to(required(folder, "folder"));
    if (count == 0) throw InputError({to, 0, "there is no result to write", "those of a simulation"});
    check_list(results, count, "results");
    const std::shared_ptr<const Prepared> prepared = result_in(results[0]).prepared;
    if (count != prepared->runner.policies())
      throw InputError({to, 0,
                        fmt::format("got {} results of a simulation of {}", count,
                                    counted(static_cast<std::int64_t>(prepared->runner.policies()), "run")),
                        "one of each policy"});
    RunWriter writer(prepared->runner, to);
    for (std::size_t i = 0; i != count; ++i) {
      const coslice_result& of = result_in(results[i]);
      if (of.prepared != prepared || of.policy != i)
        throw InputError({to, 0, "the results are not those of one simulation, in the order of its policies"});
      writer.add(i, of.run, environment_of(of));
    }
    writer.commit();
  });
}

coslice_status coslice_result_explain(coslice_result* result, int64_t job, int as_json, const char** text) {
  return guarded([&] {
    coslice_result& of = result_in(result);
    pointed(text, "text") =
        kept_text(of, fmt::format("explain {} {}", job, as_json), [&] { return story_of(of, job, as_json != 0); });
  });
}

coslice_status coslice_result_gantt(coslice_result* result, const char* format, const char** text) {
  return guarded([&] {
    coslice_result& of = result_in(result);
    const std::string as(required(format, "format"));
    pointed(text, "text") = kept_text(of, "gantt " + as, [&] { return gantt_of(of, as); });
  });
}

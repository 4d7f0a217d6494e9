// What it costs to watch decisions: the same runs without an observer, with all that is done written down (as for
// `coslice diff`), and with the story of the job that waits longest (as for `coslice explain`).
#include <algorithm>
#include <string>

#include <benchmark/benchmark.h>

#include "observe/job_action_log.h"
#include "observe/story_recorder.h"
#include "runner/runner.h"
#include "scenario/load.h"

using namespace coslice;

namespace {

const std::string kBusy = "[machine]\nnodes = 128\n[workload]\ngenerator = \"lublin\"\nestimates = \"model\"\n"
                          "[workload.lublin]\njobs = 50000\nload = 0.85\n";
const std::string kShared = "[machine]\nnodes = 64\nprocessors = 2\ncores = 2\n[workload]\ngenerator = \"lublin\"\n"
                            "[workload.lublin]\njobs = 2000\nnodes = 64\nload = 0.85\n[slowdown]\nmodel = \"drawn\"\n";

enum Watching { kNothing, kActions, kStory };

void simulate(benchmark::State& state, const std::string& scenario, const std::string& policy, Watching watching) {
  const Runner runner(check_scenario(parse_scenario_tree(scenario + "[policy]\nname = \"" + policy + "\"\n", "bench")));
  const std::size_t jobs = runner.workload().jobs.size();
  const RunResult result = runner.run(0).result;
  const auto waited = [&](JobIndex j) {
    return result.outcomes[j].start == kNever ? Duration{0}
                                              : result.outcomes[j].start - result.workload->jobs[j].submit;
  };
  JobIndex longest = 0;
  for (JobIndex j = 1; j != jobs; ++j)
    if (waited(j) > waited(longest)) longest = j;
  for (auto _ : state) {
    RunCallbacks callbacks;
    JobActionLog actions;
    StoryRecorder story(jobs, {longest});
    if (watching == kActions) callbacks.observers.push_back(&actions);
    if (watching == kStory) callbacks.observers.push_back(&story);
    benchmark::DoNotOptimize(runner.run(0, callbacks).result.fingerprint);
  }
}

#define WATCHED(name, scenario, policy)                                                                                \
  BENCHMARK_CAPTURE(simulate, name##_unwatched, scenario, policy, kNothing)->Unit(benchmark::kMillisecond);            \
  BENCHMARK_CAPTURE(simulate, name##_acts, scenario, policy, kActions)->Unit(benchmark::kMillisecond);                 \
  BENCHMARK_CAPTURE(simulate, name##_story, scenario, policy, kStory)->Unit(benchmark::kMillisecond)

WATCHED(easy, kBusy, "easy");
WATCHED(conservative, kBusy, "conservative");
WATCHED(groups, kShared, "glomarc_ts");

}  // namespace

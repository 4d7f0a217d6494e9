// Every job of every shipped scenario, under every policy that it names, can be explained.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "catch.h"
#include "observe/story_recorder.h"
#include "report/explain/story_text.h"
#include "runner/runner.h"
#include "scenario/load.h"

namespace story_golden_test {

using namespace coslice;
namespace fs = std::filesystem;

namespace {

/// What is wrong with the story, or "".
std::string fault(const JobStory& s, const StoryContext& context) {
  const StoryText text = story_text(s, context);
  if (text.head.empty() || story_json(s, context).size() < 100) return "says nothing";
  if (s.rejected) return s.start_reasons == 0 ? "" : "rejected and started";
  if (s.unfulfilled) return s.start_reasons == 0 ? "" : "never came and started";
  // A job that a failing node or its policy interrupted ran in between, and was started once more.
  const auto failures = std::count_if(s.events.begin(), s.events.end(), [](const JobEvent& e) {
    return e.kind == JobEvent::kFailed || e.kind == JobEvent::kStopped;
  });
  if (s.start_reasons != 1 + failures) return "start reasons: " + std::to_string(s.start_reasons);
  if (s.started == kNever || s.ended == kNever) return "does not end";
  if (start_text(s, context).empty()) return "starts for no reason";
  Time at = s.submitted;
  auto run = s.earlier.begin();
  const auto run_on = [&] {
    for (; run != s.earlier.end() && run->from == at; ++run) at = run->to;
  };
  for (const WaitPhase& p : s.phases) {
    run_on();
    if (p.from != at || p.to <= p.from) return "has a gap at " + format_seconds(at.time_since_epoch());
    const std::string reason = wait_reason_text(p, context);
    if (reason.empty()) return "waits for no reason";
    if (reason.find("says nothing about it") != std::string::npos) return "waits, and its policy does not say why";
    at = p.to;
  }
  run_on();
  return at == s.started && run == s.earlier.end() ? "" : "starts at another time than its waiting ends";
}

/// The stories of `most` jobs, evenly spread.
void check_run(const Runner& runner, std::size_t i, std::size_t most) {
  const std::size_t jobs = runner.workload().jobs.size();
  const std::size_t step = std::max<std::size_t>(1, jobs / std::min(most, jobs));
  std::vector<JobIndex> some;
  for (std::size_t j = i % step; j < jobs; j += step) some.push_back(static_cast<JobIndex>(j));
  StoryRecorder recorder(jobs, some);
  RunCallbacks callbacks;
  callbacks.observers.push_back(&recorder);
  callbacks.print = [](std::string_view) {};
  const PolicyRun run = runner.run(i, callbacks);
  StoryContext context{&run.result, "a run", {}, run.slice_classes.empty() ? "" : "some", {}};
  for (const SliceClass& c : run.slice_classes) context.classes.push_back(c.name);
  int faults = 0;
  for (const JobStory& s : recorder.take()) {
    const std::string problem = fault(s, context);
    if (problem.empty() || ++faults > 3) continue;
    UNSCOPED_INFO(run.policy.name << ", job " << run.result.workload->jobs[s.job].id << " " << problem);
  }
  CHECK(faults == 0);
}

void check_scenarios(std::size_t most, const std::vector<std::string>& but = {}) {
  int runs = 0;
  for (const auto& entry : fs::directory_iterator(std::string(COSLICE_SOURCE) + "/scenarios")) {
    if (entry.path().extension() != ".toml") continue;
    if (std::find(but.begin(), but.end(), entry.path().stem()) != but.end()) continue;
    const Runner runner(load_scenario(entry.path().string()));
    INFO(entry.path().filename().string());
    for (std::size_t i = 0; i != runner.policies(); ++i, ++runs) check_run(runner, i, most);
  }
  CHECK(runs > 20);
}

}  // namespace

// The scenarios left out take seconds; those like them (colocation, estimates, gpu_groups, groups, two_applications)
// are here.
TEST_CASE("jobs of the shipped scenarios have stories", "[story]") {
  check_scenarios(12, {"compare_policies", "fairshare", "gpu_site_groups", "gpu_site_processes", "gpu_site_slices",
                       "many_on_a_node", "many_on_a_node_groups", "node_gain"});
}

TEST_CASE("every job of every shipped scenario has a story", "[.][every_job]") { check_scenarios(SIZE_MAX); }

}  // namespace story_golden_test

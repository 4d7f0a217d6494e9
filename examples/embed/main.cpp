// Runs a scenario from C++ with a policy given as a string, beside one that comes with coslice.
#include <cstdio>
#include <exception>

#include "core/error.h"
#include "runner/runner.h"
#include "scenario/load.h"

namespace {

// What a scenario file would say. The policies are named; "tiny" is the text below.
constexpr const char* kScenario = R"(
name = "embedded"
seed = 3

[machine]
nodes = 64

[workload]
generator = "lublin"

[workload.lublin]
jobs = 500
load = 0.9

[policy]
name = ["tiny", "fcfs"]
)";

// Small jobs first, and others may pass them if they delay no other.
constexpr const char* kPolicy = R"(
return {
  api = 1, name = "tiny", version = "1",
  backfill = "easy",
  key = function(job) return job.nodes * job.estimate end,
}
)";

void run() {
  using namespace coslice;
  const Scenario scenario = check_scenario(parse_scenario_tree(kScenario, "embedded scenario"));
  const Runner runner(scenario, {{{"tiny", kPolicy}}});
  std::printf("%zu jobs on %d nodes\n", runner.workload().jobs.size(), runner.machine().nodes);
  for (std::size_t i = 0; i != runner.policies(); ++i) {
    const PolicyRun done = runner.run(i);
    std::printf("%-6s mean wait %8.0f s, utilization %.3f\n", done.policy.name.c_str(), done.summary.all.wait.mean,
                done.summary.utilization);
  }
}

}  // namespace

int main() {
  try {
    run();
    return 0;
  } catch (const coslice::InputError& error) {  // the scenario or the policy is wrong
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const std::exception& error) {  // the policy raised an error while it ran
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

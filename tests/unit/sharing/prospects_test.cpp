// Walks along the queue that leave out jobs for which nothing can be done: the same schedules, and the same counts, as
// walks that try each job. A run that explains its decisions tries each.
#include <fmt/format.h>

#include "catch.h"
#include "observe/story_recorder.h"
#include "runner/runner.h"
#include "scenario/load.h"

namespace prospects_test {

using namespace coslice;

namespace {

std::string scenario(const std::string& policy, bool sliced, int seed, int jobs = 250) {
  return fmt::format(R"(
name = "prospects"
seed = {}
[machine]
nodes = 32
processors = 2
cores = 2
[workload]
generator = "lublin"
sizes = "adjusted"
[workload.lublin]
jobs = {}
load = 1.6
[slowdown]
model = "drawn"
[policy]
name = "{}"
[policy.params]
sliced = {}
slack = 2
min_gain = 0.3
)",
                     seed, jobs, policy, sliced);
}

PolicyRun run(const Runner& runner, bool explained) {
  StoryRecorder recorder(runner.workload().jobs.size(), {0});
  RunCallbacks callbacks;
  if (explained) callbacks.observers.push_back(&recorder);
  return runner.run(0, callbacks);
}

constexpr const char* kMaintenance = R"(
[[outages.planned]]
nodes = "4-7"
kind = "maintenance"
from = 40000
length = 20000
every = 100000
)";

}  // namespace

TEST_CASE("prospects: jobs are left out only where trying them comes to nothing", "[prospects]") {
  const auto policy = GENERATE("glomarc_ts", "glomarc_cst", "glomarc_cstws", "glomarc_nh", "glomarc_ssp");
  const bool sliced = GENERATE(false, true);
  for (int seed = sliced ? 1 : 0; seed <= 3; ++seed) {  // 0: with maintenance
    INFO(policy << (sliced ? ", sliced" : "") << ", seed " << seed);
    const std::string text =
        seed == 0 ? scenario(policy, sliced, 1, 60) + kMaintenance : scenario(policy, sliced, seed);
    const Runner runner(check_scenario(parse_scenario_tree(text, "prospects")));
    const PolicyRun quick = run(runner, false), full = run(runner, true);
    CHECK(quick.result.fingerprint == full.result.fingerprint);
    REQUIRE(quick.result.sharing);
    REQUIRE(full.result.sharing);
    const SharingCounts &a = quick.result.sharing->counts, &b = full.result.sharing->counts;
    CHECK(a.groups == b.groups);
    CHECK(a.attempts == b.attempts);
    CHECK(a.attempts_few == b.attempts_few);
    CHECK(a.attempts_vain == b.attempts_vain);
    CHECK(quick.result.passes == full.result.passes);
  }
}

// Each call of the policy may take so much work only; a search for each waiting job takes more than that.
TEST_CASE("prospects: maintenance of a few nodes does not make a search of each waiting job", "[prospects]") {
  std::string text = scenario("glomarc_ts", false, 1, 400) + kMaintenance + "[engine]\ninstructions = 15000\n";
  const Runner runner(check_scenario(parse_scenario_tree(text, "prospects")));
  CHECK_NOTHROW(run(runner, false));
}

}  // namespace prospects_test

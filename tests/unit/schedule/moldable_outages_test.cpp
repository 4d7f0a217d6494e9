// Moldable jobs on nodes that fail: who is interrupted chooses anew.
#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "events/outage_events.h"
#include "jobs/attributes.h"
#include "machine/node_set.h"
#include "sim_helpers.h"

namespace moldable_outages_test {

using namespace coslice;
using namespace coslice::test;

namespace {

void set_sizes(Workload& w, std::size_t j, const std::string& text) {
  w.extras.set(w.jobs[j], *find_attribute("sizes"), text);
}

Outage failure_of(int from, int to, const std::vector<NodeId>& nodes, OutageKind kind = OutageKind::kFailure) {
  return {Time{whole_seconds(from)}, Time{whole_seconds(to)}, as_ranges(nodes), kind};
}

struct MoldedRun {
  Workload workload;  ///< the jobs as they ran last
  RunResult result;
  std::vector<std::string> violations;
};

MoldedRun run_with_failures(Workload w, int nodes, const QueueSchedulerOptions& options, Molding rule,
                            const OutageOptions& outages) {
  EngineOptions engine;
  engine.molding = rule;
  MoldedRun ran;
  ran.workload = std::move(w);
  const MachineSpec machine{nodes};
  Recorder recorder(ran.workload, machine);
  InvariantOptions kept;
  kept.checkpoints = outages.checkpoints.interval > Duration{0};
  InvariantChecker checker(machine, ran.workload.jobs, engine, kept);
  QueueScheduler scheduler(options);
  Simulation simulation(machine, ran.workload.jobs, scheduler, engine, {&ran.workload.requests}, &outages);
  simulation.mold(ran.workload.jobs);
  simulation.add(recorder);
  simulation.add(checker);
  simulation.run();
  checker.finish();
  ran.violations = checker.violations();
  ran.result = recorder.take();
  return ran;
}

}  // namespace

// 20 s on four nodes, 40 s on two, 80 s on one; after 5 s one of the four nodes fails, for 1,000 s.
TEST_CASE("an interrupted moldable job chooses its size anew, unless it goes on from a checkpoint",
          "[workflow][outages]") {
  const auto ran = [](Molding rule, int checkpoint) {
    Workload w = workload({{0, 4, 20}});
    set_sizes(w, 0, "2:40,1:80");
    OutageOptions outages;
    outages.plan.listed = {failure_of(5, 1005, {0})};
    outages.checkpoints.interval = whole_seconds(checkpoint);
    MoldedRun run = run_with_failures(w, 4, easy(), rule, outages);
    CHECK(run.violations == std::vector<std::string>{});
    CHECK(run.result.interrupted.size() == 1);
    CHECK(run.result.interrupted[0].node_count == 4);
    return std::pair(run.workload.jobs[0].size, to_seconds(run.result.outcomes[0].end));
  };
  CHECK(ran(Molding::kEndsFirst, 0) == std::pair(2, 45.0));
  CHECK(ran(Molding::kFitsNow, 0) == std::pair(2, 45.0));
  CHECK(ran(Molding::kAsked, 0) == std::pair(4, 1025.0));
  CHECK(ran(Molding::kEndsFirst, 2) == std::pair(4, 1021.0));  // 16 s are left
}

TEST_CASE("random moldable jobs on nodes that fail under all invariants", "[workflow][outages][property]") {
  std::int64_t interrupted = 0, other_size = 0;
  for (unsigned seed = 1; seed <= 150; ++seed) {
    Workload w = random_workload(seed, 30, 6);
    std::mt19937 random(seed);
    const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    for (std::size_t j = 0; j != w.jobs.size(); ++j) {
      if (upto(2) == 0) continue;
      set_sizes(w, j,
                upto(2) == 0 ? "1-8 downey 4 0.5"
                             : fmt::format("{}:{},{}:{}", 1 + upto(6), 1 + upto(20), 1 + upto(6), 1 + upto(20)));
    }
    OutageOptions outages;
    for (int k = 0; k != 6; ++k) {
      const int from = upto(80);
      outages.plan.listed.push_back(
          failure_of(from, from + 1 + upto(20), {upto(6)}, upto(3) == 0 ? OutageKind::kDrain : OutageKind::kFailure));
    }
    std::sort(outages.plan.listed.begin(), outages.plan.listed.end(),
              [](const Outage& a, const Outage& b) { return a.from < b.from; });
    if (upto(3) == 0) outages.checkpoints.interval = whole_seconds(1 + upto(3));
    for (const Molding rule : {Molding::kAsked, Molding::kFitsNow, Molding::kEndsFirst})
      for (const QueueSchedulerOptions& options : {fcfs(), easy(), conservative()}) {
        INFO("seed " << seed);
        const MoldedRun ran = run_with_failures(w, 6, options, rule, outages);
        REQUIRE(ran.violations == std::vector<std::string>{});
        for (const InterruptedRun& i : ran.result.interrupted) {
          ++interrupted;
          other_size += i.node_count != ran.workload.jobs[i.job].size;
        }
      }
  }
  CHECK(interrupted > 100);
  CHECK(other_size > 10);
}

}  // namespace moldable_outages_test

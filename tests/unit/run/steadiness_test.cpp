// Warm-up, end and saturation: a machine that falls behind is told from one that has a long queue.
#include <cmath>
#include <random>

#include "metrics/summary.h"
#include "sim_helpers.h"

namespace steadiness_test {

using namespace coslice;
using namespace coslice::test;

namespace {

/// Jobs of 1 to 8 nodes that arrive at random, at this load of 16 nodes.
Workload random_jobs(int jobs, double load, unsigned seed) {
  std::mt19937 bits(seed);
  const auto uniform = [&] { return (static_cast<double>(bits()) + 0.5) / 4294967296.0; };
  std::vector<TinyJob> out;
  double now = 0;
  for (int i = 0; i < jobs; ++i) {
    const int nodes = 1 << (bits() % 4);
    const int runtime = 1 + static_cast<int>(-1000 * std::log(uniform()));
    out.push_back({static_cast<int>(now), nodes, runtime});
    now += -std::log(uniform()) * 1000 * 3.75 / (16 * load);
  }
  return workload(out);
}

Steadiness steady(const Workload& w, const RunResult& ran, double trim = 0.02) {
  RunResult result = ran;
  result.workload = &w;
  return steadiness(result, trim);
}

/// In how many of this many runs under EASY backfilling the machine falls behind.
int saturated(double load, int runs, int jobs = 1500) {
  QueueSchedulerOptions options;
  options.backfill = Backfill::kEasy;
  int n = 0;
  for (int seed = 1; seed <= runs; ++seed) {
    const Workload w = random_jobs(jobs, load, static_cast<unsigned>(seed));
    Recorder recorder(w, MachineSpec{16});
    QueueScheduler scheduler(options);
    Simulation simulation(MachineSpec{16}, w.jobs, scheduler, {});
    simulation.add(recorder);
    simulation.run();
    n += steady(w, recorder.take()).saturated;
  }
  return n;
}

}  // namespace

TEST_CASE("a machine that is asked for too much is told from one that is busy", "[steadiness]") {
  constexpr int kRuns = 100;
  CHECK(saturated(0.6, kRuns) == 0);
  CHECK(saturated(0.8, kRuns) <= 2);
  CHECK(saturated(1.1, kRuns) >= 85);
  CHECK(saturated(1.3, kRuns) >= 99);
}

TEST_CASE("the window lies between the first and last job that is left", "[steadiness]") {
  const Ran ran = run(workload({{0, 1, 100}, {100, 2, 50}, {100, 2, 50}, {300, 1, 10}}), 2, QueueSchedulerOptions{});
  const Steadiness all = steady(ran.workload, ran.result, 0);
  CHECK(to_seconds(all.from) == 0);
  CHECK(to_seconds(all.to) == 300);
  CHECK(all.utilization == Approx((100 + 2 * 100) / 600.0));
  CHECK(all.mean_queue == Approx(50 / 300.0));
  CHECK(!all.saturated);
  CHECK(to_seconds(steady(ran.workload, ran.result, 0.25).from) == 100);
  CHECK(steady(ran.workload, ran.result, 0.25).utilization == 0);  // its two jobs came at once: there is no window
}

TEST_CASE("unfinished work is followed through submission, start and end", "[steadiness]") {
  // One node, a job of 100 s every 80 s: after 16,000 s, 200 jobs have brought 20,000 s of work, 16,000 s of it are
  // done.
  std::vector<TinyJob> jobs;
  for (int i = 0; i <= 200; ++i) jobs.push_back({80 * i, 1, 100});
  const Ran ran = run(workload(jobs), 1, QueueSchedulerOptions{});
  const Steadiness s = steady(ran.workload, ran.result, 0);
  CHECK(s.growth == Approx(0.25).margin(0.02));
  CHECK(s.saturated);
  CHECK(s.utilization == Approx(1));
  jobs.resize(50);
  const Ran few = run(workload(jobs), 1, QueueSchedulerOptions{});
  CHECK(steady(few.workload, few.result, 0).growth > 0.2);
  CHECK(!steady(few.workload, few.result, 0).saturated);  // too few to tell
}

TEST_CASE("nothing can be said of runs of nothing", "[steadiness]") {
  for (const std::vector<TinyJob>& jobs :
       {std::vector<TinyJob>{}, {{5, 1, 10}}, {{5, 1, 10}, {5, 1, 10}}, {{5, 9, 1}}}) {
    const Ran ran = run(workload(jobs), 2, QueueSchedulerOptions{});
    const Steadiness s = steady(ran.workload, ran.result);
    CHECK(s.utilization == 0);
    CHECK(s.evidence == 0);
    CHECK(!s.saturated);
  }
}

}  // namespace steadiness_test

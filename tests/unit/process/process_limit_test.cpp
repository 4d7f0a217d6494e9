// Jobs that reach their limits, where processes share processors.
#include "catch.h"

#include "process_scenes.h"

namespace process_limit_test {

using namespace coslice;
using namespace coslice::fcs;

namespace {

/// Hears which jobs were killed.
class Killed : public Observer {
 public:
  void ended(Time, JobIndex j, const NodeRanges&, bool killed) override {
    if (killed) jobs.push_back(j);
  }
  std::vector<JobIndex> jobs;
};

struct Ran {
  std::vector<Time> ends;
  std::vector<JobIndex> killed;
  bool operator==(const Ran&) const = default;
};

/// Each job takes as long alone as its iterations say, and its limit is its estimate.
Ran run(const Scene& scene, const EngineOptions& rules, Coscheduler& coscheduler,
        ProcessPath path = ProcessPath::kClosed) {
  std::vector<Job> jobs;
  for (const ProcessJob& p : scene.jobs) {
    const Program& program = scene.programs[static_cast<std::size_t>(p.program)];
    Job& j = jobs.emplace_back();
    j.id = static_cast<std::int64_t>(jobs.size());
    j.submit = p.submit;
    j.size = p.size;
    j.runtime = from_seconds(isolated_period(program, p.size) * static_cast<double>(p.iterations) * 1e-9);
    j.limit = p.estimate;
  }
  ProcessSimulationOptions options;
  options.path = path;
  ProcessSimulation simulation(scene.processors, scene.programs, scene.jobs, coscheduler, options, &jobs, rules);
  Killed killed;
  simulation.add(killed);
  simulation.run();
  return {simulation.ends(), killed.jobs};
}

/// Two jobs that compute for 1 s and do not communicate; the first one may compute for 0.6 s.
Scene silent() {
  Scene scene{2, {program({ms(10)}, Pattern::kNone)}, {job(2, 0, 100), job(2, 0, 100)}};
  scene.jobs[0].estimate = ms(600);
  return scene;
}

}  // namespace

TEST_CASE("processes are killed when they have done what the limit of their job allows", "[process]") {
  Batch batch;
  CHECK(run(silent(), {}, batch) == Ran{{s(0.6), s(1.6)}, {0}});
  EngineOptions extend;
  extend.at_limit = AtLimit::kExtend;
  CHECK(run(silent(), extend, batch) == Ran{{s(1), s(2)}, {}});
  EngineOptions over;
  over.over_limit = ms(300);
  CHECK(run(silent(), over, batch) == Ran{{s(0.9), s(1.9)}, {0}});
  over.over_limit = ms(400);
  CHECK(run(silent(), over, batch) == Ran{{s(1), s(2)}, {}});
}

TEST_CASE("a job beside which others run has as much work as its limit allows", "[process]") {
  Costs free;
  free.gang_switch = Duration{0};
  Gang gang(2, free);
  const Ran ran = run(silent(), {}, gang);
  CHECK(ran == Ran{{s(1.1), s(1.6)}, {0}});  // slots of 0.1 s
}

TEST_CASE("limits of processes are looked at now and then, and a job that is killed may take a while", "[process]") {
  Batch batch;
  EngineOptions rules;
  rules.limit_check = ms(250);
  CHECK(run(silent(), rules, batch) == Ran{{s(0.75), s(1.75)}, {0}});
  rules.first_limit_check = ms(150);
  CHECK(run(silent(), rules, batch) == Ran{{s(0.65), s(1.65)}, {0}});
  rules.kill_wait = ms(100);
  CHECK(run(silent(), rules, batch) == Ran{{s(0.75), s(1.75)}, {0}});
  rules.kill_wait = ms(900);  // it ends before
  CHECK(run(silent(), rules, batch) == Ran{{s(1), s(2)}, {0}});
  rules.limit_check = ms(1000);
  CHECK(run(silent(), rules, batch) == Ran{{s(1), s(2)}, {}});
}

TEST_CASE("a job is at its limit when its slowest process is", "[process]") {
  Scene scene{2, {program({ms(1), ms(2)}, Pattern::kRing)}, {job(2, 0, 100)}};
  const Duration step = from_seconds(isolated_period(scene.programs[0], 2) * 1e-9);
  scene.jobs[0].estimate = step * 30 + step / 2;
  Batch batch;
  Ran ran = run(scene, {}, batch);
  CHECK(ran.killed == std::vector<JobIndex>{0});
  CHECK(ran.ends[0] - Time{} <= step * 31);
  CHECK(ran.ends[0] - Time{} >= step * 29);
  scene.jobs[0].estimate = step * 101;
  ran = run(scene, {}, batch);
  CHECK(ran.killed.empty());
}

TEST_CASE("a job that fails or begins anew is as far from its limit as its work says", "[process]") {
  // One node of two processors; it is away from 0.5 s to 2 s.
  Scene scene = silent();
  scene.jobs.resize(1);
  OutageOptions outages;
  NodeRanges all;
  all.append(0, 1);
  outages.plan.listed = {{s(0.5), s(2), all, OutageKind::kFailure}};
  std::vector<Job> jobs(1);
  jobs[0].id = 1;
  jobs[0].size = 2;
  jobs[0].runtime = ms(1000);
  jobs[0].limit = ms(600);
  const auto end = [&](Duration interval) {
    outages.checkpoints.interval = interval;
    Batch batch;
    ProcessSimulation simulation(2, scene.programs, scene.jobs, batch, {}, &jobs, {}, {.outages = &outages});
    Killed killed;
    simulation.add(killed);
    simulation.run();
    CHECK(killed.jobs.size() == 1);
    return simulation.ends()[0];
  };
  CHECK(end(Duration{0}) == s(2.6));
  CHECK(end(ms(200)) == s(2.2));  // 0.4 s were done
}

TEST_CASE("closed forms kill jobs when the events do", "[process]") {
  RandomStream random(12, "limits");
  int killed = 0;
  for (int round = 0; round < 100; ++round) {
    Scene scene = random_scene(random);
    for (ProcessJob& j : scene.jobs) {
      const Program& p = scene.programs[static_cast<std::size_t>(j.program)];
      j.estimate = from_seconds(isolated_period(p, j.size) * static_cast<double>(j.iterations) * 1e-9 *
                                random.uniform(0.01, 1.5));
    }
    EngineOptions rules;
    if (random.uniform() < 0.5) rules.limit_check = us(static_cast<double>(random.uniform_int(1000, 500'000)));
    if (random.uniform() < 0.5) rules.kill_wait = us(static_cast<double>(random.uniform_int(0, 300'000)));
    if (random.uniform() < 0.3) rules.over_limit = us(static_cast<double>(random.uniform_int(0, 300'000)));
    Costs costs;
    costs.slice = ms(static_cast<double>(random.uniform_int(5, 120)));
    const auto rows = static_cast<std::int32_t>(random.uniform_int(1, 4));
    for (int which = 0; which < kPolicies; ++which) {
      CAPTURE(round, which);
      const auto exact = policy(which, rows, costs), closed = policy(which, rows, costs),
                 fast = policy(which, rows, costs);
      const Ran ran = run(scene, rules, *exact, ProcessPath::kExact);
      CHECK(ran == run(scene, rules, *closed));
      CHECK(run(scene, rules, *fast, ProcessPath::kFast).ends.size() == ran.ends.size());
      for (const Time end : ran.ends) CHECK(end != kNever);
      killed += static_cast<int>(ran.killed.size());
    }
  }
  CHECK(killed > 100);
}

}  // namespace process_limit_test

// Nodes that fail, are drained or in maintenance, where processes share processors.
#include "case_range.h"
#include "catch.h"

#include <map>
#include <set>

#include "process_scenes.h"

namespace process_outage_test {

using namespace coslice;
using namespace coslice::fcs;

namespace {

Outage outage(OutageKind kind, double from, double to, NodeId first, NodeId last) {
  return {Time{ms(1000 * from)}, Time{ms(1000 * to)}, nodes(first, last), kind};
}

/// Each process computes for this many times 10 ms, and does not communicate.
Scene silent(std::int32_t processors, std::vector<ProcessJob> jobs) {
  Scene scene{processors, {program({ms(10)}, Pattern::kNone)}, std::move(jobs)};
  for (ProcessJob& j : scene.jobs) j.estimate = ms(10) * j.iterations;
  return scene;
}

/// Sees that no job has a node that is not there, and that each job comes to an end once.
class Witness : public Observer {
 public:
  Witness(std::size_t jobs, std::int32_t machine) : on(static_cast<std::size_t>(machine)), over(jobs, 0) {}

  void started(Time t, JobIndex j, const NodeRanges& where) override {
    for_each_node(where, [&](NodeId n) {
      if (down.count(n) != 0 || t < preempted_until[n]) ++on_missing_nodes;
      on[static_cast<std::size_t>(n)].insert(j);
    });
    if (over[j] != 0) ++after_the_end;
  }
  void ended(Time, JobIndex j, const NodeRanges& where, bool) override {
    leave(j, where);
    ++over[j];
  }
  void interrupted(Time, JobIndex j, const NodeRanges& where, const Interruption& what) override {
    leave(j, where);
    ++interruptions;
    lost += what.lost;
    if (!what.requeued) ++over[j];
  }
  void outage_begun(Time, const Outage& o) override {
    for_each_node(o.nodes, [&](NodeId n) { preempted_until[n] = std::max(preempted_until[n], o.to); });
  }
  void node_down(Time, NodeId n, OutageKind) override {
    if (!on[static_cast<std::size_t>(n)].empty()) ++on_missing_nodes;
    down.insert(n);
  }
  void node_up(Time, NodeId n) override { down.erase(n); }
  void settled(const InstantState& state) override {
    if (state.down_nodes != static_cast<std::int32_t>(down.size())) ++wrong_counts;
  }

  std::vector<std::set<JobIndex>> on;
  std::vector<int> over;
  std::set<NodeId> down;
  std::map<NodeId, Time> preempted_until;
  int on_missing_nodes = 0, after_the_end = 0, wrong_counts = 0, interruptions = 0;
  Duration lost{0};

 private:
  void leave(JobIndex j, const NodeRanges& where) {
    for_each_node(where, [&](NodeId n) { on[static_cast<std::size_t>(n)].erase(j); });
  }
};

struct Ran {
  std::vector<Time> starts, ends;
  std::vector<Duration> checkpointing;
};

Ran run(const Scene& scene, const OutageOptions& outages, Coscheduler& coscheduler,
        ProcessSimulationOptions options = {}) {
  options.processors_per_node = 2;
  ProcessSimulation simulation(scene.processors, scene.programs, scene.jobs, coscheduler, options, nullptr, {},
                               {.outages = &outages});
  Witness witness(scene.jobs.size(), (scene.processors + 1) / 2);
  simulation.add(witness);
  simulation.run();
  CHECK(witness.on_missing_nodes == 0);
  CHECK(witness.after_the_end == 0);
  CHECK(witness.wrong_counts == 0);
  for (const int n : witness.over) CHECK(n == 1);
  return {simulation.starts(), simulation.ends(), simulation.checkpointing()};
}

}  // namespace

TEST_CASE("a job whose node fails waits again, and begins anew or goes on from its last checkpoint", "[process]") {
  const Scene scene = silent(4, {job(4, 0, 100), job(2, 0, 100)});
  OutageOptions outages;
  outages.plan.listed = {outage(OutageKind::kFailure, 0.5, 2, 1, 1)};
  Batch batch;
  Ran ran = run(scene, outages, batch);
  CHECK(ran.starts == std::vector{s(2), s(0.5)});  // the small one fits onto the other node meanwhile
  CHECK(ran.ends == std::vector{s(3), s(1.5)});
  outages.checkpoints.interval = ms(200);
  ran = run(scene, outages, batch);
  CHECK(ran.ends == std::vector{s(2.6), s(1.5)});  // two were written
  outages.checkpoints.cost = ms(10);
  outages.checkpoints.restart = ms(30);
  ran = run(scene, outages, batch);
  CHECK(ran.ends[1] == s(1.54));
  CHECK(ran.ends[0] == s(2.65));  // 0.6 s of work, two more checkpoints, the restart
  CHECK(ran.checkpointing[1] == ms(40));
  outages.interrupted = AfterFailure::kLost;
  ran = run(scene, outages, batch);
  CHECK(ran.ends[0] == kNever);
}

TEST_CASE("where a job waits again whose processes were interrupted", "[process]") {
  const Scene scene = silent(4, {job(2, 0, 100), job(2, 0, 200), job(4, 0, 100), job(4, 0, 100)});
  OutageOptions outages;
  outages.plan.listed = {outage(OutageKind::kFailure, 1.5, 1.6, 0, 0)};
  outages.plan.listed.push_back(outage(OutageKind::kFailure, 2.5, 2.6, 0, 0));  // job 2 runs since 2.0
  Batch batch;
  CHECK(run(scene, outages, batch).ends == std::vector{s(1), s(2), s(3.6), s(4.6)});
  outages.place = RequeuePosition::kBack;
  CHECK(run(scene, outages, batch).ends == std::vector{s(1), s(2), s(4.6), s(3.6)});
  outages.place = RequeuePosition::kFront;
  CHECK(run(scene, outages, batch).ends == std::vector{s(1), s(2), s(3.6), s(4.6)});
}

TEST_CASE("a drained node goes when its processes have ended, and none starts there", "[process]") {
  const Scene scene = silent(4, {job(4, 0, 100), job(2, 0, 100), job(4, 0, 10)});
  OutageOptions outages;
  outages.plan.listed = {outage(OutageKind::kDrain, 0.5, 5, 0, 0)};
  Batch batch;
  const Ran ran = run(scene, outages, batch);
  CHECK(ran.starts == std::vector{s(0), s(1), s(5)});
  CHECK(ran.ends == std::vector{s(1), s(2), s(5.1)});
}

TEST_CASE("no job is started that would not end before maintenance", "[process]") {
  const Scene scene = silent(4, {job(4, 0, 100), job(4, 0, 50), job(2, 0, 200)});
  OutageOptions outages;
  outages.plan.listed = {outage(OutageKind::kMaintenance, 0.9, 2, 0, 0)};
  Batch batch;
  const Ran ran = run(scene, outages, batch);
  CHECK(ran.starts == std::vector{s(2), s(0), s(3)});  // job 2 would delay job 0 on the other node
  Gang gang(2, Costs{});
  CHECK(run(scene, outages, gang).starts[0] == s(2));  // believed to take twice as long: neither fits before
}

TEST_CASE("on random scenes with outages none is lost, and closed forms end when the events do", "[process][times]") {
  RandomStream random(142, "outages");
  int interrupted = 0;
  for (int round = 0; round < test::rounds(25); ++round) {
    Scene scene = random_scene(random);
    for (ProcessJob& j : scene.jobs) j.estimate = ms(static_cast<double>(random.uniform_int(10, 4000)));
    const std::int32_t machine = (scene.processors + 1) / 2;
    OutageOptions outages;
    for (std::int64_t n = random.uniform_int(1, 5); n > 0; --n) {
      const double from = random.uniform(0, 6);
      const auto first = static_cast<NodeId>(random.uniform_int(0, machine - 1));
      const auto last = static_cast<NodeId>(random.uniform_int(first, machine - 1));
      const OutageKind kinds[] = {OutageKind::kFailure, OutageKind::kDrain, OutageKind::kMaintenance};
      outages.plan.listed.push_back(
          outage(kinds[random.uniform_int(0, 2)], from, from + random.uniform(0.01, 4), first, last));
    }
    if (random.uniform() < 0.5) {
      outages.checkpoints = {ms(static_cast<double>(random.uniform_int(20, 500))), ms(1), ms(2)};
    }
    if (random.uniform() < 0.3) outages.interrupted = AfterFailure::kLost;
    if (random.uniform() < 0.3) outages.believed_repair = ms(200);
    outages.place = static_cast<RequeuePosition>(random.uniform_int(0, 2));
    Costs costs;
    costs.slice = ms(static_cast<double>(random.uniform_int(20, 120)));
    const auto rows = static_cast<std::int32_t>(random.uniform_int(1, 4));
    for (int which = 0; which < kPolicies; ++which) {
      for (const Backfill backfill : {Backfill::kNone, Backfill::kEasy, Backfill::kConservative}) {
        CAPTURE(round, which, rows, static_cast<int>(backfill));
        ProcessSimulationOptions options;
        options.backfill = backfill;
        options.path = ProcessPath::kExact;
        const auto coscheduler = policy(which, rows, costs);
        const Ran exact = run(scene, outages, *coscheduler, options);
        options.path = ProcessPath::kClosed;
        const Ran closed = run(scene, outages, *coscheduler, options);
        CHECK(exact.ends == closed.ends);
        CHECK(exact.starts == closed.starts);
        interrupted += exact.checkpointing.empty() ? 0 : 1;
        options.path = ProcessPath::kFast;
        run(scene, outages, *coscheduler, options);
      }
    }
  }
  CHECK(interrupted > 100);
}

TEST_CASE("an error tells of jobs that wait for nodes which do not come back", "[process]") {
  const Scene scene = silent(4, {job(4, 0, 100)});
  OutageOptions outages;
  outages.plan.listed = {{s(0.5), kNever, nodes(0, 0), OutageKind::kFailure}};
  Batch batch;
  ProcessSimulationOptions options;
  options.processors_per_node = 2;
  ProcessSimulation simulation(scene.processors, scene.programs, scene.jobs, batch, options, nullptr, {},
                               {.outages = &outages});
  CHECK_THROWS_WITH(simulation.run(), Catch::Contains("1 job waits for ever"));
}

}  // namespace process_outage_test

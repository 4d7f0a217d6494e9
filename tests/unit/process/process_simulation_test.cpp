// Processes that share processors: small cases by hand, the closed forms against the events, invariants.
#include "catch.h"

#include <memory>

#include "process_scenes.h"

namespace process_simulation_test {

using namespace coslice;
using namespace coslice::fcs;

namespace {

struct ProcessOutcome {
  std::vector<Time> starts, ends;
  std::vector<std::vector<ClassId>> classes;
  Duration computing, polling, switching;
  bool operator==(const ProcessOutcome&) const = default;
};

/// No processor is used for longer than it exists, in bursts, polling and switching together.
void check_processors(const ProcessSimulation& simulation, Time end) {
  const Processors& all = simulation.processors();
  std::vector<Ns> used(static_cast<std::size_t>(all.count()), 0);
  for (ProcessId p = 0; p < all.processes(); ++p) {
    const Process& process = all.process(p);
    CHECK(process.phase == ProcessPhase::kDone);
    CHECK(process.iteration == (process.pattern == Pattern::kNone ? 0 : process.iterations));
    CHECK(process.used >= 0);
    CHECK(process.spun >= 0);
    used[static_cast<std::size_t>(process.processor)] += process.used + process.spun;
  }
  for (std::int32_t c = 0; c < all.count(); ++c) {
    const Ns sum = used[static_cast<std::size_t>(c)] + all.processor(c).switching;
    CHECK(sum <= end.time_since_epoch().count());
  }
}

ProcessOutcome simulate(const Scene& scene, Coscheduler& coscheduler, ProcessPath path, std::uint64_t seed = 1) {
  ProcessSimulationOptions options;
  options.path = path;
  options.seed = seed;
  ProcessSimulation simulation(scene.processors, scene.programs, scene.jobs, coscheduler, options);
  simulation.run();
  Time end{};
  for (const Time t : simulation.ends()) {
    REQUIRE(t != kNever);
    end = std::max(end, t);
  }
  check_processors(simulation, end);
  const ProcessRecord r = simulation.record();
  const ProcessAccount& a = r.account;
  return {simulation.starts(), simulation.ends(), r.last_class, a.computing, a.polling, a.switching};
}

}  // namespace

TEST_CASE("closed forms agree with the events to the nanosecond", "[process]") {
  RandomStream random(11, "scenes");
  for (int round = 0; round < 100; ++round) {
    const Scene scene = random_scene(random);
    Costs costs;
    costs.slice = ms(static_cast<double>(random.uniform_int(5, 120)));
    const auto rows = static_cast<std::int32_t>(random.uniform_int(1, 4));
    for (int which = 0; which < kPolicies; ++which) {
      CAPTURE(round, which);
      const auto exact = policy(which, rows, costs), fast = policy(which, rows, costs);
      CHECK(simulate(scene, *exact, ProcessPath::kExact) == simulate(scene, *fast, ProcessPath::kClosed));
    }
  }
}

TEST_CASE("the same seed gives the same run, another one another", "[process]") {
  const Scene scene{4, {program({ms(1), ms(2)}, Pattern::kRing, 0.01)}, {job(4, 0, 500), job(4, 0, 500)}};
  const auto run = [&](std::uint64_t seed) {
    SpinBlock sb(2, {});
    return simulate(scene, sb, ProcessPath::kClosed, seed);
  };
  CHECK(run(3) == run(3));
  CHECK_FALSE(run(3) == run(4));
}

TEST_CASE("gang scheduling gives each row its slice, less the switch", "[process]") {
  const Scene scene{2, {program({ms(100)}, Pattern::kNone)}, {job(2, 0, 1), job(2, 0, 1)}};
  Costs costs;
  costs.gang_switch = ms(2);
  Gang gang(2, costs);
  const ProcessOutcome o = simulate(scene, gang, ProcessPath::kExact);
  // Each loses 2 ms in each of its slots [0, 100), [200, 300) and [100, 200), [300, 400): first slots leave 98 ms.
  CHECK(o.ends[0] == Time{ms(204)});
  CHECK(o.ends[1] == Time{ms(304)});
}

TEST_CASE("a processor without dispatch costs loses nothing to local scheduling", "[process]") {
  const Scene scene{
      1, {program({ms(7)}, Pattern::kNone), program({ms(11)}, Pattern::kNone)}, {job(1, 0, 3), job(1, 1, 2)}};
  Costs costs;
  costs.dispatch = Duration{0};
  costs.quantum = ms(2);
  SpinBlock sb(2, costs);
  const ProcessOutcome o = simulate(scene, sb, ProcessPath::kExact);
  CHECK(o.ends[0] == Time{ms(41)});  // the tenth 2 ms quantum of the first begins at 40 ms, with 1 ms left
  CHECK(o.ends[1] == Time{ms(43)});
}

TEST_CASE("a process that waits longer than the spin time yields to others", "[process]") {
  // Rank 0 waits 9 ms of each 10 ms iteration; the other job fills that time on its processor.
  const Scene scene{2,
                    {program({ms(1), ms(10)}, Pattern::kRing), program({ms(800), us(1)}, Pattern::kNone)},
                    {job(2, 0, 100), job(2, 1, 1)}};
  SpinBlock sb(2, {});
  const ProcessOutcome shared = simulate(scene, sb, ProcessPath::kExact);
  Gang gang(2, {});
  const ProcessOutcome ganged = simulate(scene, gang, ProcessPath::kExact);
  CHECK(shared.ends[0] < Time{ms(1300)});
  CHECK(shared.ends[1] < Time{ms(1100)});
  CHECK(ganged.ends[0] > Time{ms(1700)});
}

TEST_CASE("a process that fills a gap goes on to the end of its quantum, or gives way at once", "[process]") {
  // Rank 0 of the first job computes 1 ms and waits 9 ms in each iteration; there the second job runs, which fills
  // gaps.
  class Gaps : public SpinBlock {
   public:
    explicit Gaps(bool yield) : SpinBlock(2, {}) {
      rules_.classes = {"filler", "first"};
      rules_.classifies = true;
      rules_.slice = ms(1);
      SlotMode& m = rules_.modes[0];
      m.quantum = ms(20);
      m.dispatch_cost = Duration{0};
      m.priority = {0, 0};
      m.fills_gaps = {true, false};
      m.gaps_yield = yield;
    }
    Classification classify(const ProcessFacts& p) override { return {static_cast<ClassId>(p.job == 0), false}; }
  };
  const Scene scene{2,
                    {program({ms(1), ms(10)}, Pattern::kRing), program({ms(600), us(1)}, Pattern::kNone)},
                    {job(2, 0, 100), job(2, 1, 1)}};
  Gaps keeps(false), yields(true);
  const ProcessOutcome late = simulate(scene, keeps, ProcessPath::kExact),
                       prompt = simulate(scene, yields, ProcessPath::kExact);
  // Alone the first job takes 100 x (10 ms + 60 us).
  CHECK(prompt.ends[0] <= Time{ms(1011)});
  CHECK(prompt.ends[0] >= Time{ms(1004)});
  CHECK(late.ends[0] > Time{ms(1050)});
}

TEST_CASE("the slot's own process waits for the end of a quantum, or preempts the process there", "[process]") {
  // Rank 0 of the first job computes 1 ms and waits 9 ms in each iteration; there the second job never waits.
  class Own : public SpinBlock {
   public:
    explicit Own(bool preempts) : SpinBlock(2, {}) {
      rules_.slice = ms(200);
      SlotMode& m = rules_.modes[0];
      m.quantum = ms(50);
      m.dispatch_cost = Duration{0};
      m.own_first = true;
      m.own_preempts = preempts;
    }
  };
  const Scene scene{2,
                    {program({ms(1), ms(10)}, Pattern::kRing), program({ms(600), us(1)}, Pattern::kNone)},
                    {job(2, 0, 10), job(2, 1, 1)}};
  Own keeps(false), preempts(true);
  const ProcessOutcome late = simulate(scene, keeps, ProcessPath::kExact),
                       prompt = simulate(scene, preempts, ProcessPath::kExact);
  // The first slot is the first job's: alone it takes 10 x (10 ms + 60 us).
  CHECK(prompt.ends[0] <= Time{ms(102)});
  CHECK(late.ends[0] > Time{ms(150)});
}

TEST_CASE("under a barrier every process waits for the slowest, alone", "[process]") {
  const Scene scene{3, {program({us(100), us(200), us(900)}, Pattern::kBarrier)}, {job(3, 0, 10)}};
  Batch batch;
  const ProcessOutcome o = simulate(scene, batch, ProcessPath::kExact);
  CHECK(o.ends[0] == Time{us(10 * (900 + 40 + 20))});
}

TEST_CASE("batch backfills a job that ends before the first one can start", "[process]") {
  Scene scene{4, {program({ms(10)}, Pattern::kNone)}, {job(3, 0, 100), job(4, 0, 10), job(1, 0, 90), job(1, 0, 300)}};
  for (ProcessJob& j : scene.jobs) j.estimate = ms(10) * j.iterations;
  Batch batch;
  const ProcessOutcome o = simulate(scene, batch, ProcessPath::kExact);
  CHECK(o.starts[2] == Time{});  // ends at 0.9 s, before job 1 can start at 1 s
  CHECK(o.starts[1] == Time{ms(1000)});
  CHECK(o.starts[3] == Time{ms(1100)});  // would have delayed it
}

TEST_CASE("classification by computing and waiting time, as published", "[process]") {
  Fcs fcs(1, {});
  const auto cls = [&](double cpu, double comm, std::int64_t n = 1000) {
    ProcessFacts f;
    f.slots = f.slots_in_class = 20;
    f.cpu = ms(cpu) * 1000;
    f.comm = ms(comm) * 1000;
    f.communications = n;
    return static_cast<int>(fcs.classify(f).cls);
  };
  CHECK(cls(1.0, .06) == Fcs::kCs);
  CHECK(cls(1.0, 1.06) == Fcs::kF);
  CHECK(cls(2.06, .06) == Fcs::kDc);
  CHECK(cls(1.7, .5) == Fcs::kDc);
  CHECK(cls(.5, 1.6) == Fcs::kF);
  CHECK(cls(900, 200) == Fcs::kDc);
  CHECK(cls(1.5, 999) == Fcs::kDc);
  CHECK(cls(1.0, 0, 0) == Fcs::kDc);
}

}  // namespace process_simulation_test

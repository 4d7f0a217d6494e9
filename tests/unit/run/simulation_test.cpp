#include "core/error.h"
#include "unit/sim_helpers.h"

namespace simulation_test {

using namespace coslice;
using namespace coslice::test;

using Starts = std::vector<long>;

TEST_CASE("conservative backfilling keeps the worked example's reservations", "[sched]") {
  // 10 nodes; all submitted at 0: 4x10, 8x10, 4x5, 6x20, and then 2x30 beside them.
  const Ran four = run(workload({{0, 4, 10}, {0, 8, 10}, {0, 4, 5}, {0, 6, 20}}), 10, conservative(), {}, true);
  CHECK(four.starts() == Starts{0, 10, 0, 20});
  CHECK(four.violations.empty());
  const Ran five = run(workload({{0, 4, 10}, {0, 8, 10}, {0, 4, 5}, {0, 6, 20}, {0, 2, 30}}), 10, conservative());
  CHECK(five.starts() == Starts{0, 10, 0, 20, 0});
}

TEST_CASE("an early end compresses the reservations", "[sched]") {
  // The first job ends at 6 instead of 10.
  for (const auto order : {CompressOrder::kQueue, CompressOrder::kReservedStart}) {
    const Ran ran =
        run(workload({{0, 4, 6, 10}, {0, 8, 10}, {0, 4, 5}, {0, 6, 20}}), 10, conservative(order), {}, true);
    CHECK(ran.starts() == Starts{0, 6, 0, 16});
    CHECK(ran.violations.empty());
  }
}

TEST_CASE("compression in queue order gives holes to the first of the queue", "[sched]") {
  // 4 nodes. A holds 3 until 10 but ends at 4. B (4 nodes) is reserved at 10, C (1 node, 20 s) ran beside A from 0.
  // D (2 nodes, 6 s) was backfilled after B's reservation; when A ends at 4, B still needs C's node.
  const Workload w = workload({{0, 3, 4, 10}, {0, 1, 20}, {1, 4, 5}, {2, 2, 6}, {3, 2, 10}});
  const Ran queue = run(w, 4, conservative(CompressOrder::kQueue), {}, true);
  CHECK(queue.violations.empty());
  CHECK(queue.starts() == Starts{0, 0, 20, 4, 10});
}

TEST_CASE("FCFS lets no job pass", "[sched]") {
  const Ran ran = run(workload({{0, 6, 10}, {0, 6, 10}, {0, 2, 1}}), 10, fcfs());
  CHECK(ran.starts() == Starts{0, 10, 10});
}

TEST_CASE("EASY backfills what ends by the shadow time or fits beside the head", "[sched]") {
  // 10 nodes: A 6x10; the head B needs 8 and waits until 10, leaving 2 extra nodes.
  const Ran in_time = run(workload({{0, 6, 10}, {0, 8, 10}, {0, 4, 10}}), 10, easy(), {}, true);
  CHECK(in_time.starts() == Starts{0, 10, 0});
  const Ran too_long = run(workload({{0, 6, 10}, {0, 8, 10}, {0, 4, 11}}), 10, easy(), {}, true);
  CHECK(too_long.starts() == Starts{0, 10, 20});
  const Ran beside = run(workload({{0, 6, 10}, {0, 8, 10}, {0, 2, 100}, {0, 1, 100}}), 10, easy(), {}, true);
  CHECK(beside.starts() == Starts{0, 10, 0, 20});
}

TEST_CASE("EASY's depth and number of reservations", "[sched]") {
  // The second blocked job (7 nodes) would start at 20; the 3-node job of 15 s delays it unless it is protected.
  const Workload w = workload({{0, 6, 10}, {0, 10, 10}, {0, 8, 10}, {0, 4, 11}, {0, 3, 10}});
  CHECK(run(w, 10, easy(1)).starts() == Starts{0, 10, 20, 30, 0});
  CHECK(run(w, 10, easy(1, 2)).starts() == Starts{0, 10, 20, 30, 30});
  CHECK(run(w, 10, easy(1, 3)).starts() == Starts{0, 10, 20, 30, 0});
  const Workload gap = workload({{0, 6, 10}, {0, 10, 10}, {0, 6, 10}, {5, 4, 100}, {5, 4, 5}});
  CHECK(run(gap, 10, easy(1)).starts() == run(gap, 10, easy(2)).starts());
}

TEST_CASE("a job at its limit is killed, or extended", "[sched]") {
  const Workload w = workload({{0, 4, 20, 10}, {0, 4, 5}});
  const Ran kill = run(w, 4, conservative(), {}, true);
  CHECK(kill.starts() == Starts{0, 10});
  CHECK(kill.result.outcomes[0].state == FinalState::kWalltimeReached);
  EngineOptions extend;
  extend.at_limit = AtLimit::kExtend;
  const Ran on = run(w, 4, conservative(), extend, true);
  CHECK(on.starts() == Starts{0, 20});
  CHECK(on.result.outcomes[0].state == FinalState::kCompleted);
  CHECK(on.violations.empty());
}

TEST_CASE("a job larger than the machine is rejected", "[sched]") {
  const Ran ran = run(workload({{0, 5, 10}, {0, 4, 10}}), 4, easy());
  CHECK(ran.starts() == Starts{-1, 0});
  CHECK(ran.result.outcomes[0].state == FinalState::kRejected);
  CHECK(ran.violations.empty());
}

TEST_CASE("processes share nodes of several cores", "[sched]") {
  Workload w = workload({{0, 5, 10}, {0, 8, 10}});
  MachineSpec machine{3, 2, 2};
  QueueScheduler scheduler(fcfs());
  Simulation simulation(machine, w.jobs, scheduler, {});
  Recorder recorder(w, machine);
  simulation.add(recorder);
  simulation.run();
  const RunResult result = recorder.take();
  CHECK(nodes_for(5, EngineOptions{}.ppn(machine)) == 2);
  CHECK(result.outcomes[1].start == Time{whole_seconds(10)});
  CHECK(result.timeline.front().used_cores == 5);
  CHECK(result.archive.get(result.outcomes[0].nodes).str() == "0-1");
}

TEST_CASE("dependent jobs enter after the job before them and the think time", "[sched]") {
  Workload w = workload({{0, 1, 10}, {2, 1, 10}, {3, 1, 10}, {100, 1, 5}});
  w.extras.set(w.jobs[1], &JobExtras::preceding, 1);
  w.extras.set(w.jobs[1], &JobExtras::think_time, whole_seconds(5));
  w.extras.set(w.jobs[2], &JobExtras::preceding, 99);  // not in the workload
  w.extras.set(w.jobs[3], &JobExtras::preceding, 2);
  EngineOptions engine;
  engine.dependencies = true;
  CHECK(run(w, 4, easy(), engine).starts() == Starts{0, 15, 3, 100});
  CHECK(run(w, 4, easy(), {}).starts() == Starts{0, 2, 3, 100});
}

TEST_CASE("a job that is released by an end enters before the starts of that instant", "[sched]") {
  // The third job follows the first, which ends at 10; one instant, one point of the timeline.
  Workload w = workload({{0, 4, 10}, {1, 2, 5}, {1, 2, 5}, {11, 2, 5}});
  w.extras.set(w.jobs[2], &JobExtras::preceding, 1);
  for (const EventOrder order : {EventOrder::kEndsFirst, EventOrder::kSubmissionsFirst}) {
    EngineOptions engine;
    engine.dependencies = true;
    engine.event_order = order;
    const Ran ran = run(w, 4, easy(), engine);
    CHECK(ran.violations.empty());
    CHECK(ran.starts() == Starts{0, 10, 10, 15});
    std::vector<long> instants;
    for (const TimelinePoint& p : ran.result.timeline)
      instants.push_back(static_cast<long>(p.time.time_since_epoch().count() / 1'000'000'000));
    CHECK(instants == std::vector<long>{0, 1, 10, 11, 15, 20});
  }
}

TEST_CASE("random workloads with dependent jobs: invariants hold in both orders", "[sched][property]") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    Workload w = random_workload(seed, 30, 6);
    std::mt19937 random(seed);
    for (std::size_t i = 1; i < w.jobs.size(); ++i) {
      if (random() % 3 != 0) continue;
      w.extras.set(w.jobs[i], &JobExtras::preceding, w.jobs[random() % i].id);
      w.extras.set(w.jobs[i], &JobExtras::think_time, whole_seconds(static_cast<int>(random() % 3)));
    }
    EngineOptions engine;
    engine.dependencies = true;
    engine.event_order = seed % 2 == 0 ? EventOrder::kEndsFirst : EventOrder::kSubmissionsFirst;
    for (const QueueSchedulerOptions& options : {fcfs(), easy(), conservative()}) {
      const Ran ran = run(w, 6, options, engine, options.backfill == Backfill::kConservative);
      INFO("seed " << seed);
      REQUIRE(ran.violations == std::vector<std::string>{});
      REQUIRE(ran.left == 0);
    }
  }
}

TEST_CASE("keys order the queue", "[sched]") {
  QueueSchedulerOptions shortest = easy();
  shortest.order = QueueOrder::kDuration;
  const Workload w = workload({{0, 4, 10}, {1, 4, 9}, {2, 4, 3}, {3, 4, 3}});
  CHECK(run(w, 4, shortest).starts() == Starts{0, 16, 10, 13});
  shortest.descending = true;
  CHECK(run(w, 4, shortest).starts() == Starts{0, 10, 19, 22});
  QueueSchedulerOptions dynamic = fcfs();
  dynamic.rekey = [](View& view) { view.resort([](JobIndex j) { return -static_cast<double>(j); }); };
  CHECK(run(w, 4, dynamic).starts() == Starts{0, 16, 13, 10});
}

// Which jobs a pass starts follows from the keys alone: the queue need not be sorted for it. Without an observer that
// hears promises it is not, and schedules are the same.
TEST_CASE("EASY on a queue that is not sorted decides as on one that is", "[sched]") {
  const auto starts = [](const Workload& w, const QueueSchedulerOptions& options, double* asked) {
    QueueSchedulerOptions mine = options;
    // Priorities that cross each other as time goes on, with ties.
    const auto key = [&w](Time now, JobIndex j) {
      const double waited = to_seconds(now - w.jobs[j].submit);
      return std::floor((w.jobs[j].size * 4 - waited) / (1 + static_cast<double>(j % 3)));
    };
    mine.rekey = [=](View& view) { view.resort([&](JobIndex j) { return key(view.now(), j); }); };
    if (asked != nullptr) {
      const auto view_of = std::make_shared<const View*>(nullptr);
      mine.block_keys.begin = [=](View& view, std::vector<double>& least, std::vector<std::uint8_t>& known) {
        *view_of = &view;
        const WaitingQueue& queue = view.queue_as_it_is();
        least.assign((queue.end() + WaitingQueue::kBlock - 1) / WaitingQueue::kBlock,
                     std::numeric_limits<double>::infinity());
        for (auto p = queue.first(); p < queue.end(); p = queue.next(p)) {
          double& bound = least[p / WaitingQueue::kBlock];
          bound = std::min(bound, key(view.now(), queue.job(p)));
        }
        known.assign(least.size(), 0);
        *asked += 1;
        return true;
      };
      mine.block_keys.compute = [=](WaitingQueue::Position from, WaitingQueue::Position to, double* keys) {
        const WaitingQueue& queue = (*view_of)->queue_as_it_is();
        for (auto p = from; p < to; ++p) keys[p] = queue.live(p) ? key((*view_of)->now(), queue.job(p)) : 0;
      };
      mine.block_keys.taken = [](WaitingQueue::Position) {};
    }
    QueueScheduler scheduler(mine);
    Recorder recorder(w, MachineSpec{9});
    Simulation simulation(MachineSpec{9}, w.jobs, scheduler, {});
    simulation.add(recorder);
    simulation.run();
    std::vector<Time> out;
    for (const Outcome& o : recorder.take().outcomes) out.push_back(o.start);
    return out;
  };
  double asked = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const Workload w = random_workload(seed, 150, 9);
    for (const QueueSchedulerOptions& options : {fcfs(), easy(0), easy(1)}) {
      INFO("seed " << seed);
      REQUIRE(starts(w, options, &asked) == starts(w, options, nullptr));
    }
  }
  CHECK(asked > 1000);
}

namespace {
/// Wakes itself each nanosecond and starts nothing.
class Restless : public Scheduler {
 public:
  void schedule(View& view, const Pass&) override { view.wake_at(view.now() + Duration{1}); }
};
}  // namespace

TEST_CASE("a schedule beyond the end of time is an error, not a lost job", "[sched]") {
  Workload w = workload({{0, 1, 1}, {0, 1, 1}});
  for (Job& job : w.jobs) job.runtime = job.limit = Duration{std::int64_t{5} << 60};
  QueueScheduler scheduler(fcfs());
  Simulation simulation(MachineSpec{1}, w.jobs, scheduler, {});
  CHECK_THROWS_AS(simulation.run(), SimulationError);
}

TEST_CASE("a run in which a scheduler only wakes itself, for ever, ends with an error that names the job", "[sched]") {
  const Workload w = workload({{0, 1, 10}});
  Restless restless;
  Simulation simulation(MachineSpec{4}, w.jobs, restless, {});
  CHECK_THROWS_WITH(simulation.run(), Catch::Contains("job 1 waits for ever"));
  CHECK(simulation.left_waiting() == 1);
}

TEST_CASE("what its scheduler says nothing lets start is left waiting, however often it wakes itself", "[sched]") {
  const Workload w = workload({{0, 1, 10}});
  class Blocking : public Restless {
   public:
    void schedule(View& view, const Pass& pass) override {
      view.block(view.queue().first(), "a limit");
      Restless::schedule(view, pass);
    }
  } blocking;
  Simulation simulation(MachineSpec{4}, w.jobs, blocking, {});
  simulation.run();
  CHECK(simulation.left_waiting() == 0);
  CHECK(simulation.blocked().at(0) == "a limit");
}

TEST_CASE("a vetoed job is passed over", "[sched]") {
  QueueSchedulerOptions o = easy();
  bool allowed = false;
  o.may_start = [&](JobIndex j) { return j != 0 || allowed; };
  const Ran ran = run(workload({{0, 2, 10}, {0, 4, 10}, {5, 4, 10}}), 4, o);
  CHECK(ran.starts() == Starts{-1, 0, 10});
  CHECK(ran.left == 1);
}

namespace {
/// EASY as one would write it for a proof: no memory, no arrays, the head's rectangle in a profile.
class PlainEasy : public Scheduler {
 public:
  void schedule(View& view, const Pass&) override {
    const View::Position head = start_in_order(view);
    if (head == view.queue().end()) return;
    for (View::Position p = head + 1; p < view.queue().end(); ++p) {
      if (!view.queue().live(p)) continue;
      Profile trial = view.profile();
      const Duration d = view.queue().duration(head);
      const Time shadow = trial.earliest(view.queue().nodes(head), d, view.now());
      trial.reserve(shadow, shadow + d, view.queue().nodes(head));
      if (trial.earliest(view.queue().nodes(p), view.queue().duration(p), view.now()) == view.now())
        view.start(p, StartReason::kBackfilled);
    }
  }
};

/// Conservative backfilling that takes each reservation out and puts it back at its earliest hole, at every end.
class PlainConservative : public Scheduler {
 public:
  void schedule(View& view, const Pass& pass) override {
    const WaitingQueue& q = view.queue();
    most_steps = std::max(most_steps, view.profile().steps());
    for (View::Position p = q.first(); p < q.end(); p = q.next(p)) {
      if (pass.ended && q.reserved(p) != kNever && q.reserved(p) > view.now()) {
        Profile without = view.profile();
        without.release(q.reserved(p), q.reserved(p) + q.duration(p), q.nodes(p));
        const Time t = without.earliest(q.nodes(p), q.duration(p), view.now());
        if (t != q.reserved(p)) view.reserve(p, t);
      }
    }
    for (View::Position p = q.first(); p < q.end(); p = q.next(p))
      if (q.reserved(p) == kNever) view.reserve(p, view.profile().earliest(q.nodes(p), q.duration(p), view.now()));
    if (pass.due) {
      std::vector<View::Position> due;
      for (View::Position p = q.first(); p < q.end(); p = q.next(p))
        if (q.reserved(p) == view.now()) due.push_back(p);
      std::sort(due.begin(), due.end(),
                [&](auto a, auto b) { return q.reservation_order(a) < q.reservation_order(b); });
      for (const auto p : due) view.start(p, StartReason::kReservation);
    }
  }

  std::size_t most_steps = 0;  ///< of the profile, in any pass
};
}  // namespace

TEST_CASE("random workloads: invariants hold and the plain versions agree", "[sched][property]") {
  for (const auto event_order : {EventOrder::kEndsFirst, EventOrder::kSubmissionsFirst}) {
    for (const auto at_limit : {AtLimit::kKill, AtLimit::kExtend}) {
      EngineOptions engine;
      engine.event_order = event_order;
      engine.at_limit = at_limit;
      for (unsigned seed = 1; seed <= 150; ++seed) {
        const int nodes = 1 + static_cast<int>(seed % 16);
        const Workload w = random_workload(seed, 60, nodes);
        INFO("seed " << seed << " nodes " << nodes);
        const Ran first = run(w, nodes, fcfs(), engine);
        const Ran fast_easy = run(w, nodes, easy(), engine, true);
        const Ran fast_cons = run(w, nodes, conservative(), engine, true);
        const Ran by_start = run(w, nodes, conservative(CompressOrder::kReservedStart), engine, true);
        const Ran many = run(w, nodes, easy(3), engine);
        for (const Ran* r : {&first, &fast_easy, &fast_cons, &by_start, &many}) REQUIRE(r->violations.empty());
        PlainEasy plain_easy;
        PlainConservative plain_cons;
        REQUIRE(fast_easy.result.fingerprint == run(w, nodes, plain_easy, engine).result.fingerprint);
        REQUIRE(fast_cons.result.fingerprint == run(w, nodes, plain_cons, engine).result.fingerprint);
      }
    }
  }
}

TEST_CASE("long queues: what a walk along them remembers changes nothing", "[sched][property]") {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const int nodes = seed % 2 == 0 ? 100 : 16;
    const Workload w = random_workload(seed, 600, nodes);
    INFO("seed " << seed << " nodes " << nodes);
    PlainConservative plain;
    const Ran slow = run(w, nodes, plain);
    CHECK(plain.most_steps > 128);  // shorter profiles are searched without remembering
    REQUIRE(run(w, nodes, conservative(), {}, true).result.fingerprint == slow.result.fingerprint);
  }
}

TEST_CASE("small workloads exhaustively", "[sched][property]") {
  // All workloads of three jobs on two nodes over small submit times, sizes, run times and limits.
  std::vector<TinyJob> kinds;
  for (int submit : {0, 1})
    for (int nodes : {1, 2})
      for (int runtime : {1, 2})
        for (int limit : {1, 2, 3}) kinds.push_back({submit, nodes, runtime, limit});
  std::size_t runs = 0;
  for (const TinyJob& a : kinds)
    for (const TinyJob& b : kinds)
      for (const TinyJob& c : kinds) {
        if (a.submit > b.submit || b.submit > c.submit) continue;
        const Workload w = workload({a, b, c});
        PlainEasy plain_easy;
        PlainConservative plain_cons;
        const Ran e = run(w, 2, easy(), {}, true);
        const Ran k = run(w, 2, conservative(), {}, true);
        REQUIRE(e.violations.empty());
        REQUIRE(k.violations.empty());
        REQUIRE(e.starts() == run(w, 2, plain_easy).starts());
        REQUIRE(k.starts() == run(w, 2, plain_cons).starts());
        ++runs;
      }
  CHECK(runs == 4 * 12 * 12 * 12);
}

TEST_CASE("the queue stays sorted and finds what fits", "[sched]") {
  WaitingQueue queue;
  for (JobIndex j = 0; j != 200; ++j)
    queue.insert(j, 1 + static_cast<int>(j * 7 % 50), whole_seconds(1), (j * 13) % 10);
  for (std::size_t p = 0; p < queue.end(); p += 3)
    if (queue.live(p)) queue.take(p);
  CHECK(queue.size() == 200 - 67);
  auto p = queue.next_fitting(queue.first(), 4);
  for (std::size_t q = queue.first(); q < p; ++q) CHECK((!queue.live(q) || queue.nodes(q) > 4));
  queue.compact();
  double key = -1;
  for (p = queue.first(); p < queue.end(); p = queue.next(p)) {
    CHECK(queue.key(p) >= key);
    key = queue.key(p);
  }
  queue.resort([](JobIndex j) { return -static_cast<double>(j); });
  for (p = queue.first(); queue.next(p) < queue.end(); p = queue.next(p))
    CHECK(queue.job(p) > queue.job(queue.next(p)));
  CHECK(queue.find(queue.job(queue.first())) == queue.first());
  CHECK(queue.find(7777) == queue.end());
}

}  // namespace simulation_test

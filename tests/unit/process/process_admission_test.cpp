// Which jobs enter the matrix, and which pass others there.
#include "catch.h"

#include <algorithm>

#include "process_scenes.h"
#include "schedule/observer.h"

namespace process_admission_test {

using namespace coslice;
using namespace coslice::fcs;

namespace {

using Columns = std::vector<std::int32_t>;

/// A workload without communication: each process computes for this many times 10 ms.
Scene silent(std::int32_t processors, std::vector<ProcessJob> jobs) {
  Scene scene{processors, {program({ms(10)}, Pattern::kNone)}, std::move(jobs)};
  for (ProcessJob& j : scene.jobs) j.estimate = ms(10) * j.iterations;
  return scene;
}

/// Keeps the reservation of each job when it was first in the queue for the first time.
class Reservations : public Observer, public DecisionObserver {
 public:
  explicit Reservations(std::size_t jobs) : promised(jobs, kNever) {}
  DecisionObserver* decisions() override { return this; }
  void not_admitted(Time, JobIndex job, const RoomInRows& room) override {
    if (room.head == kNoJob && promised[job] == kNever) promised[job] = room.shadow;
  }
  std::vector<Time> promised;
};

}  // namespace

TEST_CASE("buddy packing takes the first free aligned block, and leaves the rest of it to smaller ones", "[process]") {
  OusterhoutMatrix matrix(1, 12, Packing::kBuddy);
  CHECK(matrix.find(0, 3) == Columns{0, 1, 2});
  matrix.take(0, {0, 1, 2});
  CHECK(matrix.find(0, 1) == Columns{3});
  CHECK(matrix.find(0, 2) == Columns{4, 5});
  CHECK(matrix.find(0, 4) == Columns{4, 5, 6, 7});
  CHECK_FALSE(matrix.find(0, 5).has_value());  // 9 columns are free, but neither block of 8 is
  matrix.take(0, {4, 5});
  CHECK(matrix.find(0, 3) == Columns{8, 9, 10});
  std::vector<bool> refused(12, false);
  refused[11] = true;
  CHECK_FALSE(matrix.find(0, 3, &refused).has_value());
  matrix.release(0, {0, 1, 2});
  matrix.release(0, {4, 5});
  CHECK(matrix.find(0, 12)->size() == 12);  // the whole machine, though it is no power of two
  CHECK(matrix.find(0, 9)->front() == 0);
}

TEST_CASE("under buddy packing the first waiting job has a block reserved, not a number of columns", "[process]") {
  // From 0.5 s on, seven columns are free, which would be enough for job 2 if they were one block.
  const Scene scene =
      silent(8, {job(1, 0, 100), job(4, 0, 50), job(7, 0, 10), job(2, 0, 90), job(1, 0, 300), job(4, 0, 40)});
  Batch batch;
  ProcessSimulationOptions options;
  options.packing = Packing::kBuddy;
  ProcessSimulation simulation(scene.processors, scene.programs, scene.jobs, batch, options);
  simulation.run();
  const std::vector<Time>& starts = simulation.starts();
  CHECK(starts[1] == Time{});         // columns 4 to 7
  CHECK(starts[3] == Time{});         // columns 2 and 3, gone before job 2's block is free
  CHECK(starts[5] == Time{ms(500)});  // columns 4 to 7 after job 1: gone by then, too
  CHECK(starts[2] == Time{ms(1000)});
  CHECK(starts[4] == Time{ms(1000)});  // beside job 2; before, any column was in its block
}

TEST_CASE("memory that no job needs changes nothing of who passes whom", "[process]") {
  // Job 3 is longer than job 2 has to wait, but needs no more than what that leaves.
  const Scene scene = silent(4, {job(2, 0, 100), job(1, 0, 110), job(2, 0, 100), job(1, 0, 300)});
  std::vector<std::vector<Time>> starts;
  for (const std::int64_t memory : {0, 100}) {
    Batch batch;
    ProcessSimulationOptions options;
    options.memory_kb = memory;
    ProcessSimulation simulation(scene.processors, scene.programs, scene.jobs, batch, options);
    simulation.run();
    starts.push_back(simulation.starts());
  }
  CHECK(starts[0] == starts[1]);
  CHECK(starts[1][3] == Time{});
}

TEST_CASE("with exact estimates, the first job in the queue starts at its reservation or before", "[process]") {
  RandomStream random(5, "promises");
  int waited = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<ProcessJob> jobs;
    Duration submit{0};
    const auto processors = static_cast<std::int32_t>(random.uniform_int(2, 20));
    for (int i = 0; i < 30; ++i) {
      jobs.push_back(
          job(static_cast<std::int32_t>(random.uniform_int(1, processors)), 0, random.uniform_int(1, 300), submit));
      submit += ms(static_cast<double>(random.uniform_int(0, 1500)));
    }
    const Scene scene = silent(processors, jobs);
    for (const Packing packing : {Packing::kLowest, Packing::kBuddy}) {
      CAPTURE(round, packing == Packing::kBuddy, processors);
      Batch batch;
      ProcessSimulationOptions options;
      options.packing = packing;
      ProcessSimulation simulation(processors, scene.programs, scene.jobs, batch, options);
      Reservations promises(scene.jobs.size());
      simulation.add(promises);
      simulation.run();
      for (std::size_t j = 0; j < scene.jobs.size(); ++j) {
        if (promises.promised[j] == kNever) continue;
        ++waited;
        CHECK(simulation.starts()[j] <= promises.promised[j]);
      }
    }
  }
  CHECK(waited > 1000);
}

TEST_CASE("under conservative backfilling no job starts later than it was first planned to", "[process]") {
  RandomStream random(7, "plans");
  int waited = 0, passed = 0;
  for (int round = 0; round < 100; ++round) {
    const auto processors = static_cast<std::int32_t>(random.uniform_int(2, 20));
    std::vector<ProcessJob> jobs;
    Duration submit{0};
    for (int i = 0; i < 30; ++i) {
      jobs.push_back(
          job(static_cast<std::int32_t>(random.uniform_int(1, processors)), 0, random.uniform_int(1, 300), submit));
      jobs.back().memory_kb = random.uniform_int(0, 50);
      submit += ms(static_cast<double>(random.uniform_int(0, 1500)));
    }
    Scene scene = silent(processors, jobs);
    for (ProcessJob& j : scene.jobs)  // some are over sooner than is believed
      if (random.uniform() < 0.3) j.estimate *= 2;
    for (const Packing packing : {Packing::kLowest, Packing::kBuddy}) {
      for (const std::int64_t memory : {0, 100}) {
        CAPTURE(round, packing == Packing::kBuddy, processors, memory);
        Batch batch;
        ProcessSimulationOptions options;
        options.packing = packing;
        options.memory_kb = memory;
        options.processors_per_node = 2;
        options.backfill = Backfill::kConservative;
        ProcessSimulation simulation(processors, scene.programs, scene.jobs, batch, options);
        class Plans : public Observer {
         public:
          explicit Plans(std::size_t n) : first(n, kNever), last(n, kNever) {}
          void reserved(Time, JobIndex j, Time start) override {
            if (first[j] == kNever) first[j] = start;
            if (last[j] != kNever && start >= last[j]) ++later;
            last[j] = start;
          }
          void decided(Time, JobIndex, StartReason reason) override {
            before_others += reason == StartReason::kBackfilled;
          }
          std::vector<Time> first, last;
          int later = 0, before_others = 0;
        } plans(scene.jobs.size());
        simulation.add(plans);
        simulation.run();
        CHECK(plans.later == 0);
        passed += plans.before_others;
        for (std::size_t j = 0; j < scene.jobs.size(); ++j) {
          CHECK(simulation.ends()[j] != kNever);
          if (plans.first[j] == kNever) continue;
          ++waited;
          CHECK(simulation.starts()[j] <= plans.first[j]);
          CHECK(simulation.starts()[j] <= plans.last[j]);
        }
      }
    }
  }
  CHECK(waited > 1000);
  CHECK(passed > 100);
}

}  // namespace process_admission_test

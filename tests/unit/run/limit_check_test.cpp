// Limits that are looked at every so often only, as Slurm does.
#include "catch.h"
#include "watched_run.h"

namespace limit_check_test {

using namespace coslice;
using namespace coslice::test;

namespace {

using Seconds = std::vector<double>;

/// Limits are looked at at 10, 40, 70, ... s.
WatchedRun run_checked(const MachineSpec& machine, const std::vector<Job>& jobs, Backfill backfill = Backfill::kEasy) {
  EngineOptions engine;
  engine.limit_check = whole_seconds(30);
  engine.first_limit_check = whole_seconds(10);
  WatchedRun ran = run_watched(machine, workload_of(jobs), backfill, {engine});
  CHECK(ran.violations == std::vector<std::string>{});
  return ran;
}

FinalState state(const WatchedRun& ran, JobIndex j) { return ran.result.outcomes[j].state; }

}  // namespace

TEST_CASE("a job is killed when its limit is looked at", "[limit_check]") {
  for (const MachineSpec& machine : {MachineSpec{2}, by_node(2)}) {
    const WatchedRun ran =
        run_checked(machine, {job_of(1, 0, 1, 100, 50), job_of(2, 0, 1, 60, 50), job_of(3, 20, 1, 100, 20)});
    CHECK(ran.ends() == Seconds{70, 60, 100});
    CHECK(state(ran, 0) == FinalState::kWalltimeReached);
    CHECK(state(ran, 1) != FinalState::kWalltimeReached);  // it ended by itself before anything looked
    CHECK(state(ran, 2) == FinalState::kWalltimeReached);  // from 60 on; its limit is over at 80
  }
}

TEST_CASE("just at that instant there is no more time", "[limit_check]") {
  const WatchedRun ran = run_checked(MachineSpec{1}, {job_of(1, 0, 1, 100, 40), job_of(2, 0, 1, 5)});
  CHECK(ran.starts() == Seconds{0, 40});
}

TEST_CASE("the scheduler knows the limit only", "[limit_check]") {
  // The head's reservation is for 50; it moves to when job 1 is believed to end then, and again until it is killed at
  // 70.
  for (const Backfill backfill : {Backfill::kNone, Backfill::kEasy, Backfill::kConservative})
    for (const MachineSpec& machine : {MachineSpec{2}, by_node(2)})
      CHECK(run_checked(machine, {job_of(1, 0, 1, 100, 50), job_of(2, 1, 2, 10), job_of(3, 2, 1, 48)}, backfill)
                .starts() == (backfill == Backfill::kNone ? Seconds{0, 70, 80} : Seconds{0, 70, 2}));
}

TEST_CASE("jobs run on beyond their limits for as long as they may, and those that are killed until they are gone",
          "[limit_check]") {
  EngineOptions engine;
  engine.over_limit = whole_seconds(20);
  engine.kill_wait = whole_seconds(10);
  for (const MachineSpec& machine : {MachineSpec{3}, by_node(3)}) {
    const WatchedRun ran = run_watched(machine,
                                       workload_of({job_of(1, 0, 1, 100, 50), job_of(2, 0, 1, 60, 50),
                                                    job_of(3, 0, 1, 75, 50), job_of(4, 1, 1, 5, 5)}),
                                       Backfill::kEasy, {engine});
    CHECK(ran.violations == std::vector<std::string>{});
    CHECK(ran.ends() == Seconds{80, 60, 75, 65});
    CHECK(state(ran, 0) == FinalState::kWalltimeReached);
    CHECK(state(ran, 1) != FinalState::kWalltimeReached);  // within 20 s
    CHECK(state(ran, 2) == FinalState::kWalltimeReached);  // told to end at 70
  }
}

TEST_CASE("schedulers go on to believe in limits beyond which jobs may run on", "[limit_check]") {
  EngineOptions engine;
  engine.over_limit = whole_seconds(20);
  for (const Backfill backfill : {Backfill::kNone, Backfill::kEasy, Backfill::kConservative})
    for (const MachineSpec& machine : {MachineSpec{2}, by_node(2)}) {
      const WatchedRun ran =
          run_watched(machine, workload_of({job_of(1, 0, 1, 100, 50), job_of(2, 1, 2, 10), job_of(3, 2, 1, 48)}),
                      backfill, {engine});
      CHECK(ran.violations == std::vector<std::string>{});
      CHECK(ran.starts() == (backfill == Backfill::kNone ? Seconds{0, 70, 80} : Seconds{0, 70, 2}));
    }
}

}  // namespace limit_check_test

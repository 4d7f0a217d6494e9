// Runs that begin with what is on record.
#include <deque>

#include "catch.h"
#include "resource_cases.h"
#include "schedule/recorded_starts.h"
#include "sim_helpers.h"
#include "slice_helpers.h"

namespace recorded_starts_test {

using namespace coslice;
using namespace coslice::test;

namespace {

Time at(int s) { return Time{whole_seconds(s)}; }

/// In slices, if there are classes; with groups, if `sharing` says how.
Ran run_from(Workload w, int nodes, const QueueSchedulerOptions& options, const RecordedHistory& history,
             SliceOptions slices = {}, const MachineSpec* machine = nullptr,
             std::optional<SharingOptions> sharing = {}) {
  if (slices.classes.empty()) slices.overhead = Duration{0};
  const MachineSpec equal{nodes};
  if (machine == nullptr) machine = &equal;
  std::deque<QueueScheduler> schedulers;
  std::vector<Scheduler*> asked;
  for (std::size_t c = 0; c != std::max<std::size_t>(slices.classes.size(), 1); ++c)
    asked.push_back(&schedulers.emplace_back(options));
  Ran ran;
  ran.workload = std::move(w);
  Recorder recorder(ran.workload, *machine);
  InvariantOptions kept;
  kept.sliced = !slices.classes.empty();
  InvariantChecker checker(*machine, ran.workload.jobs, {}, kept);
  SimulationResources resources;
  resources.requests = &ran.workload.requests;
  resources.history = &history;
  Simulation simulation(*machine, ran.workload.jobs, asked, slices, {}, std::move(sharing), resources);
  simulation.add(recorder);
  simulation.add(checker);
  simulation.run();
  checker.finish();
  ran.violations = checker.violations();
  ran.left = simulation.left_waiting();
  ran.result = recorder.take();
  return ran;
}

std::vector<long> ends_of(const Ran& ran) {
  std::vector<long> s;
  for (const Outcome& o : ran.result.outcomes) s.push_back(static_cast<long>(to_seconds(o.end)));
  return s;
}

RecordedHistory history_of(const Ran& ran, Time until) {
  RecordedHistory history{{}, until};
  history.starts.resize(ran.result.outcomes.size());
  for (std::size_t j = 0; j != history.starts.size(); ++j) history.starts[j].start = ran.result.outcomes[j].start;
  return history;
}

}  // namespace

TEST_CASE("until an instant jobs start as on record, whatever the scheduler would do", "[recorded_starts]") {
  // Job 2 could start at 1, and did at 5; job 3 passed it. From 6 on it is first come, first served.
  const Workload w = workload({{0, 1, 10, 12}, {1, 2, 10, 12}, {2, 1, 3, 4}, {3, 3, 5, 6}, {4, 1, 1, 1}});
  const RecordedHistory history{{{at(0), {}}, {at(5), {}}, {at(2), {}}, {kNever, {}}, {kNever, {}}}, at(6)};
  const Ran ran = run_from(w, 4, fcfs(), history);
  CHECK(ran.violations == std::vector<std::string>{});
  CHECK(ran.starts() == std::vector<long>{0, 5, 2, 15, 15 + 0});
}

TEST_CASE("limits and estimates count from the start on record", "[recorded_starts]") {
  // Job 1 has run for 8 of at most 10 s at 8: the backfilled job 3 fits before its end, job 4 does not.
  const Workload w = workload({{0, 3, 30, 10}, {1, 4, 5, 5}, {2, 1, 2, 2}, {3, 1, 3, 3}});
  const RecordedHistory history{{{at(0), {}}, {kNever, {}}, {kNever, {}}, {kNever, {}}}, at(8)};
  const Ran ran = run_from(w, 4, easy(), history);
  CHECK(ran.starts() == std::vector<long>{0, 10, 8, 15});
}

TEST_CASE("a start for which there is no room is made up for, and what is over on record is dropped",
          "[recorded_starts]") {
  const Workload w = workload({{0, 2, 10, 10}, {1, 1, 20, 20}, {2, 2, 3, 3}});
  const RecordedHistory history{{{at(0), {}}, {at(1), {}}, {at(2), {}}}, at(9)};  // more than the two nodes at 1 and 2
  const Ran ran = run_from(w, 2, fcfs(), history);
  CHECK(ran.starts() == std::vector<long>{0, 10, -1});
  const Ran late = run_from(w, 2, fcfs(), {history.starts, at(12)});
  CHECK(late.starts() == std::vector<long>{0, 10, -1});
}

TEST_CASE("what a scheduler did itself, on record up to any instant, goes on in the same way", "[recorded_starts]") {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    const Workload w = random_workload(seed, 30, 6);
    for (const QueueSchedulerOptions& options : {fcfs(), easy()}) {
      const Ran whole = run(w, 6, options);
      for (const int until : {0, 3, 11, 25, 60}) {
        INFO("seed " << seed << ", until " << until);
        CHECK(run_from(w, 6, options, history_of(whole, at(until))).starts() == whole.starts());
      }
    }
  }
}

TEST_CASE("time slices begin where the record ends: until then jobs of all classes run beside one another",
          "[recorded_starts][slices]") {
  // Of the 40 s that are left of the interval at 60, each class has the half; then there are slices of 50 s. The long
  // job has done 50 s by 60, and 20 more by 100. The last job would be started at 95 on record.
  const Workload w = workload({{0, 2, 100, 100}, {0, 2, 30, 30}, {5, 2, 10, 10}});
  const RecordedHistory history{{{at(10), {}}, {at(20), {}}, {at(95), {}}}, at(60)};
  const Ran ran = run_from(w, 4, fcfs(), history, two_halves());
  CHECK(ran.violations == std::vector<std::string>{});
  CHECK(ran.starts() == std::vector<long>{10, 20, 60});
  CHECK(ends_of(ran) == std::vector<long>{180, 50, 70});
}

TEST_CASE("a start on record for which other classes leave no room is made up for, or dropped",
          "[recorded_starts][slices]") {
  const Workload w = workload({{0, 3, 60, 60}, {0, 2, 10, 10}, {0, 1, 200, 200}, {0, 2, 45, 45}});
  // At 20 there is one node for the two of the second job, and at 40 none for those of the last one. At 60 the first
  // job stops.
  const RecordedHistory history{{{at(10), {}}, {at(20), {}}, {at(30), {}}, {at(40), {}}}, at(60)};
  const Ran ran = run_from(w, 4, fcfs(), history, two_halves());
  CHECK(ran.violations == std::vector<std::string>{});
  CHECK(ran.starts() == std::vector<long>{10, 60, 30, 60});
  const Ran late = run_from(w, 4, fcfs(), {history.starts, at(75)}, two_halves());
  CHECK(late.starts() == std::vector<long>{10, 70, 30, 75});  // 70: the first job has ended
}

TEST_CASE("recorded starts in one class of endless turns are as without slices", "[recorded_starts][slices]") {
  SliceOptions all = two_halves();
  all.interval = whole_seconds(7);
  all.classes = {{"all", Duration::max(), 1, false, {}}};
  all.charge_continuing = false;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    const Workload w = random_workload(seed, 30, 6);
    const Ran whole = run(w, 6, easy());
    for (const int until : {0, 3, 11, 25, 60}) {
      INFO("seed " << seed << ", until " << until);
      const Ran ran = run_from(w, 6, easy(), history_of(whole, at(until)), all);
      CHECK(ran.violations == std::vector<std::string>{});
      CHECK(ran.starts() == whole.starts());
      CHECK(ends_of(ran) == ends_of(whole));
    }
  }
}

TEST_CASE("random recorded starts before time slices, by counts and by nodes", "[recorded_starts][slices][property]") {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    cases::Case c = cases::random_case(seed, seed % 2 == 0);
    RecordedHistory history{{}, at(static_cast<int>(3 + seed % 17))};
    std::mt19937 random(seed);
    for (const Job& job : c.workload.jobs) {
      RecordedStart start;
      if (random() % 4 != 0) start.start = later(job.submit, whole_seconds(static_cast<std::int64_t>(random() % 10)));
      if (random() % 2 == 0)
        start.nodes.append(0, static_cast<NodeId>(random() % static_cast<unsigned>(c.machine.nodes)));
      history.starts.push_back(start);
    }
    SliceOptions slices = two_halves();
    slices.interval = whole_seconds(8);
    slices.classes[0].up_to = whole_seconds(4);
    if (seed % 3 != 0) slices.foreign = ForeignJobs::kSafe;
    slices.evict = seed % 5 != 0;
    const Ran ran =
        run_from(c.workload, c.machine.nodes, seed % 2 == 0 ? easy() : conservative(), history, slices, &c.machine);
    REQUIRE(ran.violations == std::vector<std::string>{});
    REQUIRE(ran.left == 0);
    for (std::size_t j = 0; j != history.starts.size(); ++j)
      REQUIRE(ran.result.outcomes[j].start >= std::min(history.starts[j].start, history.until));
  }
}

}  // namespace recorded_starts_test

// Runs that begin with what is on record.
#include "catch.h"
#include "sched/recorded_starts.h"
#include "sim_helpers.h"

using namespace coslice;
using namespace coslice::test;

namespace {

Time at(int s) { return Time{whole_seconds(s)}; }

Ran run_from(Workload w, int nodes, const QueueSchedulerOptions& options, const RecordedHistory& history) {
  QueueScheduler scheduler(options);
  RecordedStarts recorded(scheduler, history);
  return run(std::move(w), nodes, recorded);
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

TEST_CASE("a start for which there is no room is made up for, and what is over on record is dropped", "[recorded_starts]") {
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

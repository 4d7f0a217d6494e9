// Jobs that are withdrawn: their users cancel them while they wait, and they leave the queue.
#include <algorithm>

#include "jobs/attributes.h"
#include "metrics/summary.h"
#include "process/process_simulation.h"
#include "sim_helpers.h"
#include "slice_helpers.h"

namespace withdrawal_test {

using namespace coslice;
using namespace coslice::test;

namespace {

using Starts = std::vector<long>;
const std::vector<std::string> kNoViolations;

Workload withdrawing(const std::vector<TinyJob>& jobs, std::size_t which, int at) {
  Workload w = workload(jobs);
  w.extras.set(w.jobs[which], &JobExtras::withdrawn_at, whole_seconds(at));
  return w;
}

EngineOptions in_order(EventOrder order) {
  EngineOptions o;
  o.event_order = order;
  return o;
}

}  // namespace

// A job of all nodes waits behind the first one until 20 s. It keeps the third job waiting as long as it is there.
TEST_CASE("a job that is withdrawn holds its place in the queue until then", "[withdrawal]") {
  const std::vector<TinyJob> jobs = {{0, 3, 100}, {1, 4, 50}, {2, 1, 200}};
  for (const EventOrder order : {EventOrder::kEndsFirst, EventOrder::kSubmissionsFirst}) {
    for (const QueueSchedulerOptions& options : {fcfs(), easy(), conservative()}) {
      const Ran kept = run(workload(jobs), 4, options, in_order(order));
      CHECK(kept.starts() == Starts{0, 100, 150});
      const Ran ran = run(withdrawing(jobs, 1, 20), 4, options, in_order(order));
      CHECK(ran.violations == kNoViolations);
      CHECK(ran.starts() == Starts{0, -1, 20});
      CHECK(ran.result.outcomes[1].state == FinalState::kWithdrawn);
      CHECK(ran.left == 0);
    }
  }
}

TEST_CASE("a job that has started is not withdrawn, and one that comes later never waits", "[withdrawal]") {
  const Ran started = run(withdrawing({{0, 4, 100}, {1, 4, 50}}, 1, 100), 4, easy());
  CHECK(started.violations == kNoViolations);
  CHECK(started.result.outcomes[1].state == FinalState::kWithdrawn);  // ends, then withdrawals, then starts
  const Ran just = run(withdrawing({{0, 4, 99}, {1, 4, 50}}, 1, 100), 4, easy());
  CHECK(just.starts() == Starts{0, 99});
  CHECK(just.result.outcomes[1].state == FinalState::kCompleted);
  const Ran before = run(withdrawing({{0, 4, 100}, {5, 1, 50}}, 1, 3), 4, easy());  // before it came: when it comes
  CHECK(before.violations == kNoViolations);
  CHECK(before.result.outcomes[1].state == FinalState::kWithdrawn);
  CHECK(before.starts() == Starts{0, -1});
}

TEST_CASE("a job that never ran in its record is in no figure of jobs, whether it starts or not", "[withdrawal]") {
  for (const int at : {5, 500}) {  // while it waits; after it has started at 10
    Workload w = withdrawing({{0, 4, 10}, {0, 4, 1}, {20, 4, 10}}, 1, at);
    w.jobs[1].status = 5;
    const Ran ran = run(w, 4, easy());
    CHECK((ran.result.outcomes[1].start == kNever) == (at == 5));
    CHECK(ran.result.outcomes[1].state == FinalState::kWithdrawn);
    RunResult result = ran.result;
    result.workload = &w;
    const Summary s = summarize(result, {});
    CHECK(s.finished == 2);
    CHECK(s.withdrawn == 1);
    CHECK(s.withdrawn_started == (at == 5 ? 0 : 1));
    CHECK(s.all.jobs == 2);
    CHECK(s.all.wait.max == 0);
    // One whose run is known is an ordinary job once it has started.
    w.jobs[1].status = -1;
    CHECK((run(w, 4, easy()).result.outcomes[1].state == FinalState::kWithdrawn) == (at == 5));
  }
}

TEST_CASE("a job may be withdrawn before it may come, and what waits for its end may then come", "[withdrawal]") {
  Workload w = workload({{0, 1, 10}, {0, 1, 10}, {1, 1, 10}, {2, 1, 10}});
  w.extras.set(w.jobs[1], &JobExtras::begin, whole_seconds(50));
  w.extras.set(w.jobs[1], &JobExtras::withdrawn_at, whole_seconds(30));
  w.extras.set(w.jobs[2], *find_attribute("depends"), "afterany:2");
  w.extras.set(w.jobs[3], *find_attribute("depends"), "afterok:2");
  for (const EventOrder order : {EventOrder::kEndsFirst, EventOrder::kSubmissionsFirst}) {
    const Ran ran = run(w, 4, easy(), in_order(order));
    CHECK(ran.violations == kNoViolations);
    CHECK(ran.starts() == Starts{0, -1, 30, -1});
    CHECK(ran.result.outcomes[1].state == FinalState::kWithdrawn);
    CHECK(ran.result.outcomes[3].state == FinalState::kUnfulfilled);
  }
}

TEST_CASE("an element of an array that is withdrawn leaves its place to the next", "[withdrawal]") {
  Workload w = workload({{0, 4, 100}, {1, 1, 10}, {1, 1, 10}});
  w.extras.set(w.jobs[1], *find_attribute("array"), "7_1%1");
  w.extras.set(w.jobs[2], *find_attribute("array"), "7_2%1");
  w.extras.set(w.jobs[1], &JobExtras::withdrawn_at, whole_seconds(20));
  const Ran ran = run(w, 5, fcfs());
  CHECK(ran.starts() == Starts{0, 1, 11});
  w.jobs[0].size = 5;
  const Ran waits = run(w, 5, fcfs());
  CHECK(waits.violations == kNoViolations);
  CHECK(waits.starts() == Starts{0, -1, 100});
  w.extras.set(w.jobs[1], &JobExtras::withdrawn_at, whole_seconds(200));
  w.extras.set(w.jobs[2], &JobExtras::withdrawn_at, whole_seconds(5));  // it has not come yet
  const Ran parked = run(w, 5, fcfs());
  CHECK(parked.violations == kNoViolations);
  CHECK(parked.starts() == Starts{0, 100, -1});
}

TEST_CASE("random withdrawals: whoever has not started by then never starts", "[withdrawal][property]") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    Workload w = random_workload(seed, 30, 6);
    std::mt19937 random(seed);
    for (Job& job : w.jobs)
      if (random() % 3 == 0)
        w.extras.set(job, &JobExtras::withdrawn_at,
                     job.submit.time_since_epoch() + whole_seconds(static_cast<int>(random() % 30)));
    const EngineOptions engine = in_order(seed % 2 == 0 ? EventOrder::kEndsFirst : EventOrder::kSubmissionsFirst);
    for (const QueueSchedulerOptions& options : {fcfs(), easy(), conservative()}) {
      const Ran ran = run(w, 6, options, engine);
      INFO("seed " << seed);
      REQUIRE(ran.violations == kNoViolations);
      for (JobIndex j = 0; j != w.jobs.size(); ++j) {
        const Outcome& o = ran.result.outcomes[j];
        REQUIRE((o.state == FinalState::kWithdrawn) == (o.start == kNever));
        REQUIRE((o.start == kNever || w.jobs[j].extras->withdrawn_at < Duration{0} ||
                 o.start <= Time{w.jobs[j].extras->withdrawn_at}));
      }
    }
    const Sliced s = slice(w, 6, usual(), conservative());
    REQUIRE(s.violations == kNoViolations);
    for (const Outcome& o : s.result.outcomes) REQUIRE((o.state == FinalState::kWithdrawn) == (o.start == kNever));
  }
}

TEST_CASE("jobs are withdrawn under time slices, in their own slice and in others", "[withdrawal]") {
  const std::vector<TinyJob> jobs = {{0, 3, 5000}, {1, 4, 8000}, {2, 2, 5000}};
  CHECK(slice(workload(jobs), 4, usual()).start(2) > 5000);
  for (const int at : {20, 2000, 3000}) {
    const Sliced s = slice(withdrawing(jobs, 1, at), 4, usual());
    CHECK(s.violations == kNoViolations);
    CHECK(s.result.outcomes[1].state == FinalState::kWithdrawn);
    CHECK(s.result.outcomes[1].start == kNever);
    CHECK(s.result.outcomes[2].state == FinalState::kCompleted);
  }
}

}  // namespace withdrawal_test

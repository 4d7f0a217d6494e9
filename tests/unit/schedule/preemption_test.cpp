// Running jobs that their scheduler stops.
#include "case_range.h"
#include "catch.h"

#include <functional>

#include <fmt/format.h>

#include "resource_cases.h"
#include "schedule/preemption.h"
#include "watched_run.h"

namespace preemption_test {

using namespace coslice;
using namespace coslice::test;

namespace {

using Ran = WatchedRun;

using How = StopOrder::How;
using Seconds = std::vector<double>;

/// A scheduler that does something before each pass of the ready-made one.
class Meddling : public QueueScheduler {
 public:
  Meddling(Backfill backfill, std::function<void(View&)> before)
      : QueueScheduler(options(backfill)), before_(std::move(before)) {}

  void schedule(View& view, const Pass& pass) override {
    before_(view);
    QueueScheduler::schedule(view, {pass.submitted, true, pass.due, pass.corrected});
  }

 private:
  static QueueSchedulerOptions options(Backfill backfill) {
    QueueSchedulerOptions o;
    o.backfill = backfill;
    return o;
  }
  std::function<void(View&)> before_;
};

/// Runs them on equal nodes; at `when`, the job of that number is stopped.
Ran run_and_stop(std::int32_t nodes, const std::vector<Job>& jobs, int when, JobIndex which, const StopOrder& order,
                 EngineOptions options = {}) {
  bool done = false;
  Meddling scheduler(Backfill::kEasy, [&](View& view) {
    if (view.now() < at_seconds(when)) return view.wake_at(at_seconds(when));
    if (std::exchange(done, true)) return;
    StartedJob* const job = view.find_started(which);
    REQUIRE(job != nullptr);
    view.stop(*job, order);
  });
  const Ran ran = run_watched(MachineSpec{nodes}, workload_of(jobs), scheduler, {options});
  CHECK(ran.violations == std::vector<std::string>{});
  return ran;
}

StopOrder order_of(How how, int grace = 0, FinalCheckpoint checkpoint = {}) {
  StopOrder order;
  order.how = how;
  order.grace = whole_seconds(grace);
  order.checkpoint = checkpoint;
  return order;
}

}  // namespace

TEST_CASE("a job that is requeued waits again when the pass is over, and begins anew", "[preemption]") {
  // The first one is stopped at 30. The same pass starts the other one, and the first one starts when that has ended.
  const Ran first = run_and_stop(1, {job_of(1, 0, 1, 100), job_of(2, 10, 1, 20)}, 30, 0, order_of(How::kRequeue));
  CHECK(first.ends() == Seconds{150, 50});
  REQUIRE(first.result.interrupted.size() == 1);
  CHECK(first.result.interrupted[0].lost == whole_seconds(30));
  CHECK(first.result.interrupted[0].by == InterruptedBy::kPolicy);
}

TEST_CASE("a job that is cancelled is over", "[preemption]") {
  const Ran ran = run_and_stop(1, {job_of(1, 0, 1, 100), job_of(2, 10, 1, 20)}, 30, 0, order_of(How::kCancel));
  CHECK(ran.ends() == Seconds{30, 50});
  CHECK(ran.result.outcomes[0].state == FinalState::kCancelled);
}

TEST_CASE("a job runs on for its grace, and what it holds until then is known", "[preemption]") {
  // Job 3 needs both nodes. At 10, job 1 (until 100) is to stop at 40: job 3 is expected then, so that job 4 (until 50)
  // would delay it and job 5 (until 40) does not.
  const std::vector<Job> jobs = {job_of(1, 0, 1, 100), job_of(3, 5, 2, 10), job_of(4, 10, 1, 40), job_of(5, 10, 1, 30)};
  CHECK(run_and_stop(2, jobs, 10, 0, order_of(How::kCancel, 30)).starts() == Seconds{0, 40, 50, 10});
  CHECK(run_and_stop(2, jobs, 10, 0, order_of(How::kCancel, 30)).ends() == Seconds{40, 50, 90, 40});
  // One that ends in its grace, at its very end too, has ended.
  const Ran ended = run_and_stop(1, {job_of(1, 0, 1, 40)}, 10, 0, order_of(How::kRequeue, 30));
  CHECK(ended.ends() == Seconds{40});
  CHECK(ended.result.interrupted.empty());
}

TEST_CASE("a job goes on from the checkpoint that it writes before it stops", "[preemption]") {
  const FinalCheckpoint costs{whole_seconds(5), whole_seconds(2)};
  // Stopped at 30 + 5: 30 s are done, 70 are left, and reading the checkpoint takes 2.
  const Ran ran = run_and_stop(1, {job_of(1, 0, 1, 100)}, 30, 0, order_of(How::kCheckpoint, 0, costs));
  CHECK(ran.starts() == Seconds{35});
  CHECK(ran.ends() == Seconds{107});
  CHECK(ran.result.interrupted[0].lost == Duration{0});
  // A longer grace is worked in, but for its last 5 s.
  CHECK(run_and_stop(1, {job_of(1, 0, 1, 100)}, 30, 0, order_of(How::kCheckpoint, 20, costs)).ends() == Seconds{107});
}

TEST_CASE("its limit is one of work then", "[preemption]") {
  const FinalCheckpoint costs{whole_seconds(5), whole_seconds(2)};
  const Ran ran = run_and_stop(1, {job_of(1, 0, 1, 100, 80)}, 30, 0, order_of(How::kCheckpoint, 0, costs));
  CHECK(ran.ends() == Seconds{87});
  CHECK(ran.result.outcomes[0].state == FinalState::kWalltimeReached);
}

TEST_CASE("jobs stop where submissions come first, too", "[preemption]") {
  EngineOptions options;
  options.event_order = EventOrder::kSubmissionsFirst;
  const std::vector<Job> jobs = {job_of(1, 0, 1, 100), job_of(2, 10, 1, 20)};
  CHECK(run_and_stop(1, jobs, 30, 0, order_of(How::kCancel), options).ends() == Seconds{30, 50});
  CHECK(run_and_stop(1, jobs, 30, 0, order_of(How::kCancel, 7), options).ends() == Seconds{37, 57});
  CHECK(run_and_stop(1, jobs, 30, 0, order_of(How::kRequeue), options).ends() == Seconds{150, 50});
}

namespace {

/// What choose_victims says of running jobs with these nodes, on so many, for a job that needs `wanted`.
std::string victims(std::int32_t nodes, const std::vector<int>& running, int wanted) {
  Workload workload;
  for (std::size_t i = 0; i != running.size(); ++i)
    workload.jobs.push_back(job_of(static_cast<std::int64_t>(i) + 1, 0, running[i], 100));
  workload.jobs.push_back(job_of(99, 1, wanted, 10));
  std::string found;
  Meddling scheduler(Backfill::kNone, [&](View& view) {
    if (view.now() != at_seconds(1)) return;
    std::vector<StartedJob*> all;
    for (StartedJob& job : static_cast<HostedView&>(view).started_jobs()) all.push_back(&job);
    for (const StartedJob* job : choose_victims(view, view.queue().first(), all))
      found += fmt::format("{} ", job->index + 1);
  });
  run_watched(MachineSpec{nodes}, workload, scheduler);
  return found;
}

}  // namespace

TEST_CASE("as few jobs are stopped as are needed, the first ones by rank", "[preemption]") {
  CHECK(victims(4, {1, 1, 1, 1}, 2) == "1 2 ");
  CHECK(victims(6, {1, 1, 4}, 4) == "3 ");  // the small ones are not needed beside the large one
  CHECK(victims(6, {2, 1, 2}, 3) == "1 ");  // one node is free
  CHECK(victims(6, {2, 1, 2}, 6) == "1 2 3 ");
  CHECK(victims(5, {2, 1, 2}, 3) == "1 2 ");
}

namespace {

/// Stops jobs at random, in every way, with and without grace, and starts waiting ones over all reservations.
Ran stop_at_random(const cases::Case& c, Backfill backfill, std::uint64_t seed, EventOrder order) {
  cases::Dice dice(seed);
  std::int32_t stops = 30;
  Meddling scheduler(backfill, [&](View& view) {
    for (StartedJob& job : static_cast<HostedView&>(view).started_jobs()) {
      if (job.nodes.empty() || stops == 0 || !dice.one_in(4)) continue;
      --stops;
      const StopOrder stop = order_of(static_cast<How>(dice.from(0, 2)), dice.one_in(2) ? 0 : dice.from(1, 5),
                                      {whole_seconds(dice.from(0, 2)), whole_seconds(dice.from(0, 2))});
      view.stop(job, stop);
      return;  // the list has changed
    }
    if (!view.queue().empty() && dice.one_in(3)) view.start_first(view.queue().first(), StartReason::kPolicy);
    if (!view.queue().empty() && dice.one_in(20)) view.refuse(view.queue().first());
  });
  EngineOptions options;
  options.event_order = order;
  return run_watched(c.machine, c.workload, scheduler, {options});
}

std::string trouble(std::uint64_t seed) {
  cases::Case c = cases::random_case(seed, false);
  for (const Backfill backfill : {Backfill::kNone, Backfill::kEasy, Backfill::kConservative}) {
    const Ran parts = stop_at_random(c, backfill, seed, EventOrder::kEndsFirst);
    if (!parts.violations.empty()) return fmt::format("seed {}, parts: {}", seed, parts.violations.front());
    cases::Case equal = c;
    equal.machine = MachineSpec{c.machine.nodes};
    for (Job& job : equal.workload.jobs) {
      job.request = kNoRequest;
      job.size = std::max(1, static_cast<int>(job.size % (c.machine.nodes + 1)));
    }
    for (const EventOrder order : {EventOrder::kEndsFirst, EventOrder::kSubmissionsFirst}) {
      const Ran ran = stop_at_random(equal, backfill, seed, order);
      if (!ran.violations.empty()) return fmt::format("seed {}, equal nodes: {}", seed, ran.violations.front());
    }
  }
  return {};
}

}  // namespace

TEST_CASE("jobs that are stopped at random", "[preemption]") {
  for (std::uint64_t seed = 0; seed != 500; ++seed) REQUIRE(trouble(seed) == "");
}

TEST_CASE("jobs that are stopped at random, at length", "[.][at_length][preemption]") {
  for (const std::uint64_t seed : test::cases_at_length(500, 29'500)) REQUIRE(trouble(seed) == "");
}

}  // namespace preemption_test

// Jobs that are suspended in place: schedules by hand under both kinds of machines, and random ones under all
// invariants.
#include "case_range.h"
#include "catch.h"

#include <deque>
#include <random>

#include <fmt/format.h>

#include "machine/machine_spec.h"
#include "observe/invariants.h"
#include "observe/recorder.h"
#include "run/simulation.h"
#include "slice_helpers.h"
#include "suspending.h"

namespace suspension_test {

using namespace coslice;

namespace {

using test::Suspending;
using test::suspension_job;
using test::two_halves;

struct SuspensionRun {
  RunResult result;
  std::vector<std::string> violations;
};

/// `by_node`: the same nodes as a kind of nodes.
SuspensionRun simulate_suspending(const Workload& workload, std::int32_t nodes, Backfill backfill, bool by_node,
                                  const OutageOptions* outages = nullptr) {
  MachineSpec machine{nodes};
  if (by_node) {
    LayoutSpec layout;
    layout.kinds.push_back(equal_nodes(machine));
    set_layout(machine, make_layout(layout));
  }
  Suspending scheduler(backfill);
  Simulation simulation(machine, workload.jobs, scheduler, {}, {&workload.requests}, outages);
  Recorder recorder(workload, machine);
  InvariantChecker invariants(machine, workload.jobs, {}, {});
  simulation.add(recorder);
  simulation.add(invariants);
  simulation.run();
  invariants.finish();
  return {recorder.take(), invariants.violations()};
}

/// In slices, each class with a scheduler of its own.
SuspensionRun suspend_in_slices(const Workload& workload, std::int32_t nodes, Backfill backfill,
                                const SliceOptions& slices, const OutageOptions* outages = nullptr,
                                std::int64_t* foreign = nullptr) {
  const MachineSpec machine{nodes};
  std::deque<Suspending> schedulers;
  std::vector<Scheduler*> asked;
  for (std::size_t c = 0; c != slices.classes.size(); ++c) asked.push_back(&schedulers.emplace_back(backfill));
  Simulation simulation(machine, workload.jobs, asked, slices, {}, {}, {}, outages);
  Recorder recorder(workload, machine);
  InvariantChecker invariants(machine, workload.jobs, {}, {});
  simulation.add(recorder);
  simulation.add(invariants);
  simulation.run();
  invariants.finish();
  if (foreign != nullptr) *foreign += simulation.counts().foreign_resumed + simulation.counts().foreign_pinned;
  return {recorder.take(), invariants.violations()};
}

Workload numbered(std::vector<Job> jobs) {
  Workload workload;
  workload.jobs = std::move(jobs);
  for (std::size_t i = 0; i != workload.jobs.size(); ++i) workload.jobs[i].id = static_cast<std::int64_t>(i) + 1;
  return workload;
}

std::string times_of(const RunResult& result) {
  std::string text;
  for (const Outcome& o : result.outcomes)
    text += fmt::format("{}{}-{}", text.empty() ? "" : " ", to_seconds(o.start), to_seconds(o.end));
  return text;
}

}  // namespace

TEST_CASE("suspended jobs lend their nodes and go on where they stopped", "[suspension]") {
  const bool by_node = GENERATE(false, true);
  const Backfill backfill = GENERATE(Backfill::kEasy, Backfill::kConservative);
  // The first job lends all its nodes twice: 20 to 50 and, in part, 60 to 75. Job 4 waits until it has ended.
  const Workload workload = numbered({suspension_job(0, 4, 100, 100, 2), suspension_job(20, 4, 30, 30, 1),
                                      suspension_job(60, 2, 15, 20, 1), suspension_job(61, 1, 10, 10, 2)});
  const SuspensionRun ran = simulate_suspending(workload, 4, backfill, by_node);
  CHECK(ran.violations == std::vector<std::string>{});
  CHECK(times_of(ran.result) == "0-145 20-50 60-75 145-155");
  REQUIRE(ran.result.suspended.size() == 2);
  CHECK(ran.result.suspended[0].to == at_seconds(50));
  CHECK(ran.result.suspended[1].nodes == 4);
}

TEST_CASE("what a suspended job has left is lent before others are suspended, and none of it to those that wait",
          "[suspension]") {
  const bool by_node = GENERATE(false, true);
  const Workload workload =
      numbered({suspension_job(0, 3, 100, 100, 2), suspension_job(0, 1, 40, 40, 2), suspension_job(10, 1, 50, 50, 1),
                suspension_job(20, 2, 60, 60, 1), suspension_job(21, 1, 19, 19, 2)});
  const SuspensionRun ran = simulate_suspending(workload, 4, Backfill::kEasy, by_node);
  CHECK(ran.violations == std::vector<std::string>{});
  // The first lends to both urgent ones, until 80; the last job takes the node of the second one.
  CHECK(times_of(ran.result) == "0-170 0-40 10-60 20-80 40-59");
}

TEST_CASE("the nodes of a suspended job that is interrupted stay with those that run there", "[suspension]") {
  const bool by_node = GENERATE(false, true);
  const Workload workload = numbered({suspension_job(0, 4, 100, 100, 2), suspension_job(20, 2, 50, 50, 1)});
  OutageOptions outages;
  outages.plan.listed.push_back({at_seconds(40), at_seconds(50), {}, OutageKind::kFailure});
  outages.plan.listed.back().nodes.append(3, 3);
  const SuspensionRun ran = simulate_suspending(workload, 4, Backfill::kEasy, by_node, &outages);
  CHECK(ran.violations == std::vector<std::string>{});
  CHECK(times_of(ran.result) == "70-170 20-70");
  REQUIRE(ran.result.interrupted.size() == 1);
  CHECK(ran.result.interrupted[0].lost == whole_seconds(20));
}

namespace {

/// Draws 25 jobs. `upto(n)` draws from 0 to n - 1.
template <class F>
Workload some_jobs(F&& upto) {
  std::vector<Job> jobs;
  int submit = 0;
  for (int i = 0; i != 25; ++i) {
    submit += upto(3) == 0 ? upto(9) : 0;
    const int runtime = 1 + upto(20);
    const int nodes = 1 + upto(6), limit = std::max(1, runtime + upto(12) - 4), queue = 1 + upto(3);
    jobs.push_back(suspension_job(submit, nodes, runtime, limit, queue));
  }
  return numbered(std::move(jobs));
}

/// Draws six failures and drains.
template <class F>
void add_outages(OutageOptions& outages, F&& upto) {
  for (int i = 0; i != 6; ++i) {
    const int from = upto(120), node = upto(6);  // a statement draws in this order with every compiler
    const OutageKind kind = upto(2) == 0 ? OutageKind::kFailure : OutageKind::kDrain;
    const int length = 1 + upto(20);
    outages.plan.listed.push_back({at_seconds(from), at_seconds(from + length), {}, kind});
    outages.plan.listed.back().nodes.append(node, node);
  }
}

/// Returns how many there were.
std::int64_t suspend_at_random(unsigned seed) {
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const Workload workload = some_jobs(upto);
  OutageOptions outages;
  if (seed % 2 == 1) add_outages(outages, upto);
  const Backfill backfill = upto(2) == 0 ? Backfill::kEasy : Backfill::kConservative;
  const OutageOptions* const away = seed % 2 == 1 ? &outages : nullptr;
  const SuspensionRun counts = simulate_suspending(workload, 6, backfill, false, away);
  const SuspensionRun ledger = simulate_suspending(workload, 6, backfill, true, away);
  REQUIRE(counts.violations == std::vector<std::string>{});
  REQUIRE(ledger.violations == std::vector<std::string>{});
  // The two may borrow other nodes, as the ledger knows them before idle ones count first: both do all the work.
  for (const RunResult* result : {&counts.result, &ledger.result}) {
    for (std::size_t j = 0; away == nullptr && j != workload.jobs.size(); ++j) {
      Duration suspended{0};
      for (const SuspendedSpan& s : result->suspended)
        if (s.job == j) suspended += s.to - s.from;
      const Job& job = workload.jobs[j];
      const Outcome& o = result->outcomes[j];
      REQUIRE(o.end - o.start == std::min(job.runtime, job.limit) + suspended);
      if (job.queue == 1) REQUIRE(suspended == Duration{0});
    }
  }
  return static_cast<std::int64_t>(counts.result.suspended.size());
}

}  // namespace

TEST_CASE("random suspensions lose no work, by counts and by nodes", "[suspension]") {
  std::int64_t suspensions = 0;
  for (unsigned seed = 0; seed != 600; ++seed) suspensions += suspend_at_random(seed);
  CHECK(suspensions > 1000);
}

TEST_CASE("in time slices jobs are suspended for others of their class, and others run there in between",
          "[suspension][slices]") {
  const Backfill backfill = GENERATE(Backfill::kEasy, Backfill::kConservative);
  // The long job runs from 50 to 80 and lends its nodes until 160: in two slices of its class. Between, short ones run
  // there.
  const Workload workload = numbered(
      {suspension_job(0, 4, 100, 100, 2), suspension_job(80, 3, 30, 60, 1), suspension_job(100, 4, 20, 20, 2)});
  const SuspensionRun ran = suspend_in_slices(workload, 4, backfill, two_halves());
  CHECK(ran.violations == std::vector<std::string>{});
  CHECK(times_of(ran.result) == "50-280 80-160 100-120");
  REQUIRE(ran.result.suspended.size() == 1);
  CHECK(ran.result.suspended[0].from == at_seconds(80));
  CHECK(ran.result.suspended[0].to == at_seconds(160));
}

TEST_CASE("a job whose borrower ends in a slice of another class goes on in its own", "[suspension][slices]") {
  SliceOptions slices = two_halves();
  slices.foreign = ForeignJobs::kSafe;
  const Workload workload = numbered({suspension_job(0, 4, 100, 100, 2), suspension_job(80, 4, 30, 60, 1)});
  const SuspensionRun ran = suspend_in_slices(workload, 4, Backfill::kEasy, slices);
  CHECK(ran.violations == std::vector<std::string>{});
  CHECK(times_of(ran.result) == "0-130 80-110");
  const Workload with_short = numbered(
      {suspension_job(0, 4, 100, 100, 2), suspension_job(80, 4, 30, 60, 1), suspension_job(105, 4, 40, 40, 2)});
  // The short job stops the urgent one at 105, has the rest of its slice, and 145 to 150 are the urgent one's.
  const SuspensionRun three = suspend_in_slices(with_short, 4, Backfill::kEasy, slices);
  CHECK(three.violations == std::vector<std::string>{});
  CHECK(times_of(three.result) == "0-170 80-150 105-145");
}

TEST_CASE("suspensions in one class whose slices cost nothing are as without slices", "[suspension][slices]") {
  SliceOptions all = two_halves();
  all.classes = {{"all", Duration::max(), 1, false, {}}};
  all.charge_continuing = false;
  std::size_t suspensions = 0;
  for (unsigned seed = 0; seed != 400; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    std::vector<Job> jobs;
    int submit = 0;
    for (int i = 0; i != 20; ++i) {
      submit += upto(3) == 0 ? upto(9) : 0;
      const int runtime = 1 + upto(20), nodes = 1 + upto(6), limit = std::max(1, runtime + upto(12) - 4);
      jobs.push_back(suspension_job(submit, nodes, runtime, limit, 1 + upto(3)));
    }
    const Workload workload = numbered(std::move(jobs));
    const Backfill backfill = seed % 2 == 0 ? Backfill::kEasy : Backfill::kConservative;
    const SuspensionRun plain = simulate_suspending(workload, 6, backfill, false);
    // A slice that begins is followed by a pass, in which conservative backfilling may move reservations.
    all.interval = whole_seconds(backfill == Backfill::kEasy ? 7 : 1'000'000);
    const SuspensionRun sliced = suspend_in_slices(workload, 6, backfill, all);
    REQUIRE(sliced.violations == std::vector<std::string>{});
    REQUIRE(times_of(sliced.result) == times_of(plain.result));
    REQUIRE(sliced.result.suspended.size() == plain.result.suspended.size());
    suspensions += plain.result.suspended.size();
  }
  CHECK(suspensions > 400);
}

namespace {

/// Jobs of two classes, foreign ones, memory and failures; returns how many suspensions there were.
std::int64_t suspend_in_random_slices(unsigned seed, std::int64_t& foreign) {
  INFO("seed " << seed);
  std::mt19937 random(seed + 1'000'000);
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const Workload workload = some_jobs(upto);
  OutageOptions outages;
  if (seed % 3 == 1) add_outages(outages, upto);
  SliceOptions slices = two_halves();
  slices.interval = whole_seconds(8 + upto(30));
  slices.classes[0].up_to = whole_seconds(4 + upto(12));
  if (upto(4) != 0) slices.foreign = ForeignJobs::kSafe;
  slices.evict = upto(4) != 0;
  slices.charge_continuing = upto(2) == 0;
  if (upto(3) == 0) slices.overhead = whole_seconds(1);
  if (upto(3) == 0) {
    slices.classes.front().on_demand = true;
    slices.classes.front().longest = whole_seconds(1 + upto(4));
  }
  if (upto(3) == 0) {
    slices.memory = whole_seconds(2);
    slices.memory_of = [](const View&, JobIndex j) { return from_seconds(0.1 + 0.2 * (j % 4)); };
    if (upto(2) == 0) slices.nodes = NodeChoice::kMemoryFit;
    if (upto(2) == 0) slices.swapping = Swapping::kWholeJobs;
  }
  const Backfill backfill = upto(2) == 0 ? Backfill::kEasy : Backfill::kConservative;
  const SuspensionRun ran =
      suspend_in_slices(workload, 6, backfill, slices, seed % 3 == 1 ? &outages : nullptr, &foreign);
  REQUIRE(ran.violations == std::vector<std::string>{});
  for (const SuspendedSpan& s : ran.result.suspended) REQUIRE(workload.jobs[s.job].queue != 1);
  return static_cast<std::int64_t>(ran.result.suspended.size());
}

}  // namespace

TEST_CASE("random suspensions in time slices lose no work", "[suspension][slices][property]") {
  std::int64_t suspensions = 0, foreign = 0;
  for (unsigned seed = 0; seed != 600; ++seed) suspensions += suspend_in_random_slices(seed, foreign);
  for (const unsigned seed : {11'035u, 12'385u})  // a drain waits for a foreign job when another one borrows nodes
    suspend_in_random_slices(seed, foreign);
  CHECK(suspensions > 600);
  CHECK(foreign > 600);
}

TEST_CASE("random suspensions in time slices at length", "[.][at_length][preemption]") {
  std::int64_t foreign = 0;
  for (const std::uint64_t seed : test::cases_at_length(600, 20'000))
    suspend_in_random_slices(static_cast<unsigned>(seed), foreign);
}

TEST_CASE("random suspensions at length", "[.][at_length][preemption]") {
  for (const std::uint64_t seed : test::cases_at_length(600, 20'000)) suspend_at_random(static_cast<unsigned>(seed));
}

}  // namespace suspension_test

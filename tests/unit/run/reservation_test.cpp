// Nodes that are kept for some jobs for a time.
#include "catch.h"

#include <fmt/format.h>

#include "case_range.h"
#include "jobs/attributes.h"
#include "machine/node_set.h"
#include "metrics/summary.h"
#include "outage_cases.h"
#include "reservation_cases.h"
#include "watched_run.h"

namespace reservation_test {

using namespace coslice;
using test::by_node;
using Ran = test::WatchedRun;
using test::workload_of;

namespace {

Time at(double s) { return at_seconds(s); }

Job job_of(std::int64_t id, int user, int submit, int nodes, int runtime, int limit = 0) {
  Job job = test::job_of(id, submit, nodes, runtime, limit);
  job.user = user;
  return job;
}

Ran run(const MachineSpec& machine, const Workload& workload, Backfill backfill, const NodeReservations& reservations,
        Placement* placement = nullptr, const OutageOptions* outages = nullptr) {
  return test::run_watched(machine, workload, backfill, {{}, outages, &reservations, placement});
}

NodeReservation reservation(std::vector<NodeId> nodes, TimeWindows windows) {
  NodeReservation r;
  r.name = "course";
  r.nodes = as_ranges(std::move(nodes));
  r.windows = std::move(windows);
  r.users = {7};
  return r;
}

using Seconds = std::vector<double>;
constexpr Backfill kAll[] = {Backfill::kNone, Backfill::kEasy, Backfill::kConservative};

/// On four nodes, under both ledgers.
void check_starts(const std::vector<Job>& jobs, const NodeReservation& r, const Seconds& expected) {
  const Workload& w = workload_of(jobs);
  FirstFit first_fit;
  for (const Backfill backfill : kAll)
    for (Placement* placement : {static_cast<Placement*>(nullptr), static_cast<Placement*>(&first_fit)}) {
      const Ran ran = run(by_node(4), w, backfill, {r}, placement);
      CHECK(ran.violations == std::vector<std::string>{});
      CHECK(ran.starts() == expected);
    }
}

/// The job says the name of the reservation.
Workload& named(std::vector<Job> jobs) {
  Workload& w = workload_of(jobs);
  for (Job& job : w.jobs) w.extras.set(job, *find_attribute("reservation"), "course");
  return w;
}

}  // namespace

TEST_CASE("jobs of others keep off reserved nodes", "[reservations]") {
  const NodeReservation r = reservation({2, 3}, {{at(100), at(200)}});
  check_starts({job_of(1, 1, 60, 4, 50)}, r, {200});  // it would not have ended by 100
  check_starts({job_of(1, 1, 50, 4, 50)}, r, {50});
  check_starts({job_of(1, 1, 60, 2, 500), job_of(2, 1, 61, 1, 39)}, r, {60, 61});
  check_starts({job_of(1, 1, 60, 2, 500), job_of(2, 1, 61, 1, 40)}, r, {60, 200});
}

TEST_CASE("an entitled job may run inside and outside", "[reservations]") {
  const NodeReservation r = reservation({2, 3}, {{at(100), at(200)}});
  // Its own nodes first: others can use the rest. The last job is of another user and waits for the end.
  const std::vector<Job> jobs = {job_of(1, 7, 60, 2, 100), job_of(2, 1, 61, 2, 500), job_of(3, 7, 62, 2, 10),
                                 job_of(4, 1, 63, 1, 10)};
  check_starts(jobs, r, {60, 61, 160, 200});
  const Ran ran = run(by_node(4), workload_of(jobs), Backfill::kEasy, {r});
  CHECK(ran.nodes(0) == "2-3");
  CHECK(ran.nodes(1) == "0-1");
  check_starts({job_of(1, 7, 150, 4, 1000)}, r, {150});  // beyond its end
  NodeReservation others = r;
  others.users = {};
  others.accounts = {5};
  others.jobs = {2};
  std::vector<Job> more = {job_of(1, 1, 100, 4, 10), job_of(2, 1, 101, 4, 10), job_of(3, 1, 102, 4, 10)};
  more[0].group = 5;
  check_starts(more, others, {100, 110, 200});
}

TEST_CASE("a job that names a reservation runs in it only", "[reservations]") {
  const NodeReservation r = reservation({2, 3}, {{at(100), at(200)}, {at(300), at(400)}});
  for (const Backfill backfill : kAll) {
    // The second one does not fit into what is left of the first window. The third one fits into none, the fourth comes
    // too late, and the last one waits in vain.
    const Workload& w = named({job_of(1, 1, 0, 2, 60), job_of(2, 1, 160, 1, 60), job_of(3, 1, 170, 1, 101),
                               job_of(4, 1, 360, 1, 60), job_of(5, 1, 500, 1, 1)});
    FirstFit first_fit;
    for (Placement* placement : {static_cast<Placement*>(nullptr), static_cast<Placement*>(&first_fit)}) {
      const Ran ran = run(by_node(4), w, backfill, {r}, placement);
      CHECK(ran.violations == std::vector<std::string>{});
      CHECK(ran.starts() == Seconds{100, 300, -1, -1, -1});
      CHECK(ran.nodes(0) == "2-3");
      for (const JobIndex j : {2, 3, 4}) CHECK(ran.result.outcomes[j].state == FinalState::kRejected);
    }
  }
}

TEST_CASE("a late reservation takes no nodes from running jobs", "[reservations]") {
  NodeReservation r = reservation({2, 3}, {{at(100), at(200)}});
  r.announced = at(50);
  check_starts({job_of(1, 1, 0, 4, 150), job_of(2, 7, 100, 2, 10), job_of(3, 1, 101, 4, 10)}, r, {0, 150, 200});
  const Ran ran =
      run(by_node(4), workload_of({job_of(1, 1, 0, 4, 150), job_of(2, 7, 100, 2, 10), job_of(3, 1, 101, 4, 10)}),
          Backfill::kEasy, {r});
  const Summary s = summarize(ran.result, {});
  REQUIRE(s.reservations);
  CHECK(s.reservations->windows == 1);
  CHECK(s.reservations->late == 1);
  CHECK(s.reservations->reserved == 200);
  CHECK(s.reservations->withheld == 100);
  CHECK(s.reservations->used == 20);
  // Before it is known, a job is started; afterwards none is.
  check_starts({job_of(1, 1, 49, 4, 60), job_of(2, 1, 50, 2, 60)}, r, {49, 109});
  check_starts({job_of(1, 1, 49, 2, 60), job_of(2, 1, 50, 2, 60)}, r, {49, 109});
  // A place in conservative backfilling gives way: the second job had one at 60, for 70 s on all nodes.
  check_starts({job_of(1, 1, 0, 4, 60), job_of(2, 1, 1, 4, 70)}, r, {0, 200});
}

TEST_CASE("short jobs of others may use what is free", "[reservations]") {
  NodeReservation r = reservation({2, 3}, {{at(100), at(200)}});
  r.backfill = whole_seconds(20);
  check_starts({job_of(1, 1, 120, 4, 20)}, r, {120});
  check_starts({job_of(1, 1, 120, 4, 21)}, r, {200});
}

TEST_CASE("a floating reservation keeps long jobs off", "[reservations]") {
  NodeReservation r = reservation({2, 3}, {});
  r.floating = whole_seconds(30);
  check_starts({job_of(1, 1, 0, 4, 30)}, r, {0});
  check_starts({job_of(1, 1, 0, 2, 31), job_of(2, 1, 0, 2, 31)}, r, {0, 31});
  check_starts({job_of(1, 1, 0, 3, 31)}, r, {-1});
  check_starts({job_of(1, 7, 0, 3, 31)}, r, {0});
}

TEST_CASE("a reservation that repeats", "[reservations]") {
  const NodeReservation r = reservation({0, 1, 2, 3}, {{at(100), at(200)}, {at(300), at(400)}});
  check_starts({job_of(1, 1, 10, 4, 101)}, r, {400});
  check_starts({job_of(1, 1, 10, 4, 100)}, r, {200});
  check_starts({job_of(1, 1, 10, 4, 90)}, r, {10});
}

namespace {

/// Whole nodes, under both ledgers.
std::string trouble(std::uint64_t seed) {
  cases::Dice dice(seed);
  const std::int32_t nodes = dice.from(1, 6);
  Workload w;
  int now = 0;
  for (int i = dice.from(3, 14); i > 0; --i) {
    now += dice.one_in(2) ? 0 : dice.from(0, 4);
    const int limit = dice.from(1, 12);
    w.jobs.push_back(job_of(static_cast<int>(w.jobs.size()) + 1, 1, now, dice.from(1, nodes),
                            dice.one_in(3) ? limit : dice.from(1, 12), limit));
  }
  const NodeReservations all = cases::random_reservations(dice, nodes, true);
  cases::name_some(dice, w, all);
  const MachineSpec machine = by_node(nodes);
  FirstFit first_fit;
  for (const Backfill backfill : kAll) {
    const Ran counted = run(machine, w, backfill, all);
    const Ran by_node = run(machine, w, backfill, all, &first_fit);
    for (const Ran* ran : {&counted, &by_node})
      if (!ran->violations.empty()) return fmt::format("seed {}: {}", seed, ran->violations.front());
    // Which nodes a reserved start has is decided at another time in the two: that may move others.
    if (backfill == Backfill::kNone && counted.starts() != by_node.starts())
      return fmt::format("seed {}: counts\n{}\nnodes\n{}", seed, fmt::join(counted.starts(), " "),
                         fmt::join(by_node.starts(), " "));
  }
  return {};
}

/// Parts of nodes, and some that fail.
std::string trouble_with_parts(std::uint64_t seed) {
  cases::Case c = cases::random_case(seed, seed % 2 == 0);
  cases::Dice dice(seed + 1'000'000);
  const NodeReservations all = cases::random_reservations(dice, c.machine.nodes, false);
  cases::name_some(dice, c.workload, all);
  OutageOptions outages;
  if (dice.one_in(2))
    outages.plan.listed = cases::outages_of_nodes(dice, c.machine.nodes, dice.from(1, 3), 30, 12, cases::any_outage);
  for (const Backfill backfill : kAll) {
    const Ran ran = run(c.machine, c.workload, backfill, all, nullptr, &outages);
    if (!ran.violations.empty()) return fmt::format("seed {}: {}", seed, ran.violations.front());
  }
  return {};
}

}  // namespace

TEST_CASE("random reservations of whole nodes", "[reservations]") {
  for (std::uint64_t seed = 0; seed != 1000; ++seed) REQUIRE(trouble(seed) == "");
}

TEST_CASE("random reservations of nodes on which several jobs run", "[reservations]") {
  for (std::uint64_t seed = 0; seed != 1000; ++seed) REQUIRE(trouble_with_parts(seed) == "");
}

TEST_CASE("random reservations at length", "[.][at_length][reservations]") {
  for (const std::uint64_t seed : test::cases_at_length(1000, 20'000)) {
    REQUIRE(trouble(seed) == "");
    REQUIRE(trouble_with_parts(seed) == "");
  }
}

}  // namespace reservation_test

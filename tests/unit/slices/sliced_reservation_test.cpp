// Reservations of nodes for users, under time slices.
#include "catch.h"

#include <fmt/format.h>

#include "case_range.h"
#include "machine/node_set.h"
#include "metrics/summary.h"
#include "observe/invariants.h"
#include "observe/recorder.h"
#include "outage_cases.h"
#include "reservation_cases.h"
#include "sliced_cases.h"
#include "watched_run.h"

namespace sliced_reservation_test {

using namespace coslice;
using Before = ReservationInvariants::Before;
using Seconds = std::vector<double>;

namespace {

Time second(int s) { return Time{whole_seconds(s)}; }

/// Of 200 s, jobs of up to 100 s have the first half and others the second; no job is in the slice of others.
SliceOptions by_halves() {
  SliceOptions o = sliced::two_classes(200, 100);
  o.nodes = NodeChoice::kFirstFree;
  return o;
}

Job user_job(int user, int submit, int nodes, int runtime, int limit = 0) {
  static std::int64_t id = 0;
  Job job = test::job_of(++id, submit, nodes, runtime, limit);
  job.user = user;
  return job;
}

NodeReservation course(std::vector<NodeId> nodes, TimeWindows windows) {
  NodeReservation r;
  r.name = "course";
  r.nodes = as_ranges(std::move(nodes));
  r.windows = std::move(windows);
  r.users = {7};
  return r;
}

struct ReservedRun {
  cases::Case c;
  sliced::Ran ran;
  std::optional<Summary> summary;

  Seconds starts() const {
    Seconds all;
    for (const Outcome& o : ran.result.outcomes) all.push_back(o.start == kNever ? -1 : to_seconds(o.start));
    return all;
  }
  std::string nodes(JobIndex j) const { return ran.result.archive.get(ran.result.outcomes[j].nodes).str(); }
};

/// On two nodes.
ReservedRun run_reserved(const Workload& w, const NodeReservations& all, const SliceOptions& slices = by_halves(),
                         Backfill backfill = Backfill::kEasy, Before before = Before::kEnds,
                         const EngineOptions& engine = {}) {
  ReservedRun r;
  r.c.machine = test::by_node(2);
  r.c.workload = w;
  ReservationInvariants reserved(r.c.workload.jobs, all, before, &engine);
  r.ran = sliced::run(r.c, slices, nullptr, backfill, engine, &reserved, nullptr, &all);
  CHECK(r.ran.violations == std::vector<std::string>{});
  CHECK(reserved.violations() == std::vector<std::string>{});
  return r;
}

void check_sliced_starts(const std::vector<Job>& jobs, const NodeReservation& r, const Seconds& expected,
                         const SliceOptions& slices = by_halves()) {
  for (const Backfill backfill : {Backfill::kEasy, Backfill::kConservative})
    CHECK(run_reserved(test::workload_of(jobs), {r}, slices, backfill).starts() == expected);
}

/// The job says the name of the reservation.
Workload& naming(const std::vector<Job>& jobs) {
  Workload& w = test::workload_of(jobs);
  for (Job& job : w.jobs) w.extras.set(job, *find_attribute("reservation"), "course");
  return w;
}

}  // namespace

TEST_CASE("under slices jobs of others keep off reserved nodes, in the time of their class", "[slices][reservations]") {
  const NodeReservation both = course({0, 1}, {{second(350), second(450)}});
  // From 110 on, a long job has 90 s and 50 s until 350; after 450 its slice begins at 500.
  check_sliced_starts({user_job(1, 110, 1, 140)}, both, {110});
  check_sliced_starts({user_job(1, 110, 1, 141)}, both, {500});
  // From 220 on, a short one has 80 s; after 450 it has 50 s of that slice at once.
  check_sliced_starts({user_job(1, 220, 1, 80), user_job(1, 220, 1, 81)}, both, {220, 450});
  // One node of two: the other one has room, also for what comes behind the wide job.
  check_sliced_starts({user_job(1, 110, 1, 141), user_job(1, 110, 2, 141)}, course({1}, {{second(350), second(450)}}),
                      {110, 500});
}

TEST_CASE("under slices entitled jobs run in a reservation, each in the slices of its class",
          "[slices][reservations]") {
  const NodeReservation both = course({0, 1}, {{second(350), second(450)}});
  check_sliced_starts({user_job(7, 110, 1, 141)}, both, {110});
  check_sliced_starts({user_job(7, 360, 1, 150), user_job(7, 360, 2, 20), user_job(1, 360, 1, 10)}, both,
                      {360, 400, 450});
  // It takes the reserved node first.
  const ReservedRun own = run_reserved(test::workload_of({user_job(7, 10, 1, 20), user_job(1, 10, 1, 20)}),
                                       {course({1}, {{second(350), second(450)}})});
  CHECK(own.nodes(0) == "1");
  CHECK(own.nodes(1) == "0");
  NodeReservation backfilled = both;
  backfilled.backfill = whole_seconds(40);
  check_sliced_starts({user_job(1, 405, 1, 40), user_job(1, 405, 1, 41)}, backfilled, {405, 450});
}

TEST_CASE("under slices a job that names a reservation needs its time in the slices of its class",
          "[slices][reservations]") {
  const NodeReservation both = course({0, 1}, {{second(350), second(450)}});
  for (const Backfill backfill : {Backfill::kEasy, Backfill::kConservative}) {
    // Short jobs have 50 s of it. The last one is too long for any window, and rejected at once.
    ReservedRun r = run_reserved(naming({user_job(1, 0, 1, 50), user_job(1, 0, 1, 51), user_job(1, 0, 1, 101)}), {both},
                                 by_halves(), backfill);
    CHECK(r.starts() == Seconds{400, -1, -1});
    for (const JobIndex j : {1, 2}) CHECK(r.ran.result.outcomes[j].state == FinalState::kRejected);
    // Long ones have 150 s of the next.
    const NodeReservation longer = course({0, 1}, {{second(350), second(650)}});
    r = run_reserved(naming({user_job(1, 0, 1, 150), user_job(1, 0, 1, 151), user_job(1, 700, 1, 1)}), {longer},
                     by_halves(), backfill);
    CHECK(r.starts() == Seconds{350, -1, -1});
  }
}

TEST_CASE("under slices a job is gone when the reservation is over that it names", "[slices][reservations]") {
  EngineOptions engine;
  engine.over_limit = whole_seconds(1000);
  const auto ends = [&](const Job& job, int from, int to) {
    const ReservedRun r = run_reserved(naming({job}), {course({0, 1}, {{second(from), second(to)}})}, by_halves(),
                                       Backfill::kEasy, Before::kEstimates, engine);
    CHECK(r.ran.result.outcomes[0].state == FinalState::kWalltimeReached);
    return std::pair(to_seconds(r.ran.result.outcomes[0].start), to_seconds(r.ran.result.outcomes[0].end));
  };
  CHECK(ends(user_job(1, 0, 1, 500, 50), 350, 450) == std::pair(400.0, 450.0));
  // It has no slice when the reservation ends: long jobs have 350 to 400, and 500 to 600.
  CHECK(ends(user_job(1, 0, 1, 500, 150), 350, 650) == std::pair(350.0, 650.0));
  engine.over_limit = Duration{0};
  engine.kill_wait = whole_seconds(320);
  CHECK(ends(user_job(1, 0, 1, 500, 150), 350, 650) == std::pair(350.0, 650.0));
  CHECK(ends(user_job(1, 0, 1, 500, 150), 350, 1000) == std::pair(350.0, 920.0));
}

TEST_CASE("under slices a late reservation takes no nodes from started jobs", "[slices][reservations]") {
  NodeReservation late = course({0, 1}, {{second(350), second(550)}});
  late.announced = second(320);
  // 90 s and 100 s and 100 s and 10 s: preempted in between, it goes on in the reservation. Another long one waits.
  const Workload& w = test::workload_of({user_job(1, 110, 1, 300), user_job(1, 330, 1, 200)});
  const NodeReservations all{late};
  ReservedTime watch(all, 2);
  cases::Case c;
  c.machine = test::by_node(2);
  c.workload = w;
  sliced::Ran ran = sliced::run(c, by_halves(), nullptr, Backfill::kEasy, {}, &watch, nullptr, &all);
  CHECK(ran.violations == std::vector<std::string>{});
  CHECK(to_seconds(ran.result.outcomes[0].start) == 110);
  CHECK(to_seconds(ran.result.outcomes[0].end) == 710);
  CHECK(to_seconds(ran.result.outcomes[1].start) == 550);
  ran.result.workload = &c.workload;
  ran.result.reservations = all;
  ran.result.in_reservations = watch.take();
  const Summary s = summarize(ran.result, {});
  REQUIRE(s.reservations);
  CHECK(s.reservations->late == 1);
  CHECK(s.reservations->reserved == 400);
  CHECK(s.reservations->withheld == 100);  // 350 to 400, and 500 to 550
}

TEST_CASE("under slices a floating reservation keeps long jobs off", "[slices][reservations]") {
  NodeReservation floating = course({1}, {});
  floating.floating = whole_seconds(120);
  check_sliced_starts({user_job(1, 110, 1, 121), user_job(1, 110, 1, 121)}, floating, {110, 331});
  check_sliced_starts({user_job(1, 110, 1, 121), user_job(1, 110, 1, 120)}, floating, {110, 110});
  check_sliced_starts({user_job(1, 110, 1, 121), user_job(7, 110, 1, 121)}, floating, {110, 110});
}

TEST_CASE("jobs in the slices of others keep off reserved nodes", "[slices][reservations]") {
  SliceOptions slices = by_halves();
  slices.foreign = ForeignJobs::kSafe;
  // The slice of short jobs is free. Until 20 a long one has no time of its class; from 60 on it runs there.
  check_sliced_starts({user_job(1, 0, 1, 150)}, course({0, 1}, {{second(20), second(60)}}), {60}, slices);
  check_sliced_starts({user_job(7, 0, 1, 150)}, course({0, 1}, {{second(20), second(60)}}), {0}, slices);
  // It has finished before the reservation: 40 s of the first slice are enough.
  check_sliced_starts({user_job(1, 110, 1, 20)}, course({0, 1}, {{second(130), second(160)}}), {110}, slices);
  check_sliced_starts({user_job(1, 110, 1, 21)}, course({0, 1}, {{second(130), second(160)}}), {160}, slices);
}

namespace {

struct SeenReservations {
  std::size_t foreign = 0, preempted = 0, rejected = 0, kept = 0;
};

/// Jobs with parts of nodes, in drawn slices; what is wrong, "" if nothing is.
std::string wrong_with_reservations(std::uint64_t seed, SeenReservations& seen) {
  cases::Case c = seed % 5 == 4 ? cases::random_case(seed, true) : twin::crowded_case(seed);
  cases::Dice dice(seed + 5'000'000);
  const NodeReservations all = cases::random_reservations(dice, c.machine.nodes, false);
  cases::name_some(dice, c.workload, all);
  OutageOptions outages;
  if (dice.one_in(3))
    outages.plan.listed = cases::outages_of_nodes(dice, c.machine.nodes, dice.from(1, 3), 40, 12, cases::any_outage);
  EngineOptions engine;
  engine.at_limit = dice.one_in(2) ? AtLimit::kExtend : AtLimit::kKill;
  const bool memory = dice.one_in(4), slows = dice.one_in(4);
  const bool longer = seed % 7 == 3 && !memory && engine.at_limit == AtLimit::kKill;  // than its limit says
  if (longer) engine.over_limit = whole_seconds(seed % 5);
  const twin::HashedSlowdowns slowdowns(seed);
  const ContentionOptions contention{&slowdowns, ContentionOptions::Among::kNode, ContentionOptions::Combine::kProduct};
  const Backfill backfill = static_cast<Backfill>(dice.from(0, 2));
  const SliceOptions slices = sliced::draw_slices(seed, memory);
  // Memory and others on the same nodes make jobs run on into windows; and of a class without slices nothing is known.
  const bool exact = !memory && !slows && !longer &&
                     std::none_of(slices.classes.begin(), slices.classes.end(),
                                  [](const SliceClass& s) { return !s.on_demand && s.share == 0; });
  ReservationInvariants reserved(c.workload.jobs, all, exact ? Before::kEnds : Before::kEstimates, &engine);
  sliced::Ran ran;
  try {
    ran = sliced::run(c, slices, slows ? &contention : nullptr, backfill, engine, &reserved,
                      outages.plan.listed.empty() ? nullptr : &outages, &all);
  } catch (const std::exception& e) {
    return e.what();
  }
  if (!ran.violations.empty()) return ran.violations.front();
  if (!reserved.violations().empty()) return reserved.violations().front();
  seen.foreign += static_cast<std::size_t>(ran.counts.foreign_finishing + ran.counts.foreign_pinned);
  seen.preempted += static_cast<std::size_t>(ran.counts.preemptions);
  seen.kept += exact ? 1 : 0;
  for (const Outcome& o : ran.result.outcomes) seen.rejected += o.state == FinalState::kRejected;
  return "";
}

}  // namespace

TEST_CASE("under slices random reservations of nodes on which several jobs run", "[slices][reservations][property]") {
  SeenReservations seen;
  for (std::uint64_t seed = 0; seed != 2000; ++seed) {
    INFO("seed " << seed);
    REQUIRE(wrong_with_reservations(seed, seen) == "");
  }
  CHECK(seen.foreign > 1000);
  CHECK(seen.preempted > 1000);
  CHECK(seen.rejected > 300);
  CHECK(seen.kept > 500);
}

TEST_CASE("under slices random reservations, at length", "[.][at_length][slices][reservations]") {
  SeenReservations seen;
  for (const std::uint64_t seed : test::cases_at_length(2000, 40'000)) {
    INFO("seed " << seed);
    REQUIRE(wrong_with_reservations(seed, seen) == "");
  }
}

}  // namespace sliced_reservation_test

// Moldable jobs on a heterogeneous machine, where maintenance is planned and where nodes are reserved.
#include "catch.h"

#include <algorithm>

#include <fmt/format.h>

#include "case_range.h"
#include "contention_twin.h"
#include "jobs/attributes.h"
#include "jobs/job_sizes.h"
#include "machine/node_set.h"
#include "reservation_cases.h"
#include "resource_cases.h"
#include "watched_run.h"

namespace moldable_kinds_test {

using namespace coslice;

namespace {

struct MoldedOnKinds {
  std::vector<std::string> violations;
  Workload workload;  ///< the jobs as they ran last
  RunResult result;

  double start(JobIndex j) const { return to_seconds(result.outcomes[j].start); }
  double end(JobIndex j) const { return to_seconds(result.outcomes[j].end); }
  std::string nodes(JobIndex j) const { return result.archive.get(result.outcomes[j].nodes).str(); }
};

struct Around {
  const OutageOptions* outages = nullptr;
  const NodeReservations* reservations = nullptr;
  Placement* placement = nullptr;
  const ContentionOptions* contention = nullptr;
};

MoldedOnKinds run_on_kinds(const MachineSpec& machine, const Workload& w, Backfill backfill, Molding rule,
                           const Around& around = {}) {
  MoldedOnKinds ran;
  ran.workload = w;
  EngineOptions engine;
  engine.molding = rule;
  add_requests_of_sizes(ran.workload, engine.ppn(machine));
  QueueSchedulerOptions options;
  options.backfill = backfill;
  QueueScheduler scheduler(options);
  Recorder recorder(ran.workload, machine);
  InvariantOptions kept;
  kept.checkpoints = around.outages != nullptr && around.outages->checkpoints.interval > Duration{0};
  kept.nodes_reserved = around.reservations != nullptr;
  kept.requests = &w.requests;
  InvariantChecker invariants(machine, w.jobs, engine, kept);
  SimulationResources told{&ran.workload.requests, {}, around.contention, around.reservations};
  if (around.placement != nullptr) told.placements = {around.placement};
  Simulation simulation(machine, ran.workload.jobs, scheduler, engine, told, around.outages);
  simulation.mold(ran.workload.jobs);
  std::optional<ResourceInvariants> resources;
  std::optional<ReservationInvariants> reserved;
  for (Observer* o : std::initializer_list<Observer*>{&recorder, &invariants}) simulation.add(*o);
  const auto speeds =
      around.contention != nullptr ? ResourceInvariants::Speeds::kVary : ResourceInvariants::Speeds::kOfNodes;
  if (!w.requests.empty()) simulation.add(resources.emplace(machine, ran.workload.jobs, ran.workload.requests, speeds));
  if (around.reservations != nullptr)  // a job that goes on from a checkpoint needs less than its limit
    simulation.add(reserved.emplace(ran.workload.jobs, *around.reservations,
                                    kept.checkpoints ? ReservationInvariants::Before::kEnds
                                                     : ReservationInvariants::Before::kLimits));
  simulation.run();
  invariants.finish();
  ran.violations = invariants.violations();
  const auto add = [&](const std::vector<std::string>& more) {
    ran.violations.insert(ran.violations.end(), more.begin(), more.end());
  };
  if (resources) add(resources->violations());
  if (reserved) add(reserved->violations());
  ran.result = recorder.take();
  return ran;
}

void say_sizes(Workload& w, std::size_t j, const std::string& text) {
  w.extras.set(w.jobs[j], *find_attribute("sizes"), text);
}

Outage window_of(int from, int to, const std::vector<NodeId>& nodes, OutageKind kind = OutageKind::kMaintenance) {
  return {at_seconds(from), at_seconds(to), as_ranges(nodes), kind};
}

constexpr Molding kRules[] = {Molding::kAsked, Molding::kFitsNow, Molding::kEndsFirst};
constexpr Backfill kKinds[] = {Backfill::kNone, Backfill::kEasy, Backfill::kConservative};

/// Both ledgers.
template <class F>
void each_ledger(F&& f) {
  FirstFit first_fit;
  for (Placement* placement : {static_cast<Placement*>(nullptr), static_cast<Placement*>(&first_fit)}) f(placement);
}

}  // namespace

// 20 s on four nodes, 40 s on two, 80 s on one; two of the four are in maintenance from 30 to 100.
TEST_CASE("a moldable job chooses its size beside maintenance", "[workflow][outages]") {
  Workload w = test::workload_of({test::job_of(1, 20, 4, 20)});
  say_sizes(w, 0, "2:40,1:80");
  OutageOptions outages;
  outages.plan.listed = {window_of(30, 100, {2, 3})};
  each_ledger([&](Placement* placement) {
    for (const Backfill backfill : kKinds) {
      const auto ran = [&](Molding rule) {
        const MoldedOnKinds r = run_on_kinds(test::by_node(4), w, backfill, rule, {&outages, nullptr, placement});
        CHECK(r.violations == std::vector<std::string>{});
        return std::tuple(r.workload.jobs[0].size, r.start(0), r.end(0));
      };
      CHECK(ran(Molding::kAsked) == std::tuple(4, 100.0, 120.0));
      CHECK(ran(Molding::kFitsNow) == std::tuple(2, 20.0, 60.0));
      CHECK(ran(Molding::kEndsFirst) == std::tuple(2, 20.0, 60.0));
    }
  });
}

TEST_CASE("a moldable job chooses its size beside reservations of nodes", "[workflow][reservations]") {
  NodeReservation r;
  r.name = "course";
  r.nodes = as_ranges({2, 3});
  r.windows = {{at_seconds(30), at_seconds(100)}};
  r.users = {7};
  const auto ran = [&](const NodeReservation& reservation, std::int32_t user, Molding rule,
                       const std::string& named = "") {
    std::tuple<std::int32_t, double, std::string> all;
    each_ledger([&](Placement* placement) {
      Workload w = test::workload_of({test::job_of(1, 20, 4, 20)});
      w.jobs[0].user = user;
      say_sizes(w, 0, "2:40,1:80");
      if (!named.empty()) w.extras.set(w.jobs[0], *find_attribute("reservation"), named);
      const NodeReservations reservations{reservation};
      const MoldedOnKinds run =
          run_on_kinds(test::by_node(4), w, Backfill::kEasy, rule, {nullptr, &reservations, placement});
      CHECK(run.violations == std::vector<std::string>{});
      all = {run.workload.jobs[0].size, run.start(0), run.nodes(0)};
    });
    return all;
  };
  CHECK(ran(r, 1, Molding::kAsked) == std::tuple(4, 100.0, std::string("0-3")));
  CHECK(ran(r, 1, Molding::kEndsFirst) == std::tuple(2, 20.0, std::string("0-1")));
  CHECK(ran(r, 7, Molding::kEndsFirst) == std::tuple(4, 20.0, std::string("0-3")));
  // It runs in the reservation only, of which two nodes are: 40 s of them.
  CHECK(ran(r, 1, Molding::kEndsFirst, "course") == std::tuple(2, 30.0, std::string("2-3")));
  // Of the two sizes, only the one of 20 s is short enough for what the reservation leaves.
  r.backfill = whole_seconds(20);
  CHECK(ran(r, 1, Molding::kEndsFirst) == std::tuple(4, 20.0, std::string("0-3")));
}

namespace {

/// Two plain nodes, then two fast ones with a GPU each; two cores on each.
MachineSpec plain_and_fast() {
  auto layout = std::make_shared<MachineLayout>();
  layout->features = {"fast"};
  layout->gpu_types = {"large"};
  for (const bool fast : {false, true}) {
    NodeKind kind;
    kind.name = fast ? "fast" : "plain";
    kind.count = 2;
    kind.cores = 2;
    if (fast) {
      kind.speed = 2;
      kind.features = {0};
      kind.gpus = 1;
      kind.gpu_type = 0;
    }
    kind.first = layout->node_count();
    layout->kinds.push_back(kind);
  }
  MachineSpec machine;
  machine.nodes = layout->node_count();
  machine.layout = layout;
  return machine;
}

}  // namespace

TEST_CASE("the sizes of a job that asks for a kind of nodes", "[workflow]") {
  Request fast;
  fast.nodes = 1;
  fast.exclusive = true;
  fast.features = {{{0}, {}}};
  Workload w = test::workload_of({test::job_of(1, 0, 1, 80), test::job_of(2, 0, 1, 40)});
  w.jobs[0].request = w.jobs[1].request = w.requests.intern(fast);
  say_sizes(w, 0, "2:40,4:10");  // there are no four of that kind
  each_ledger([&](Placement* placement) {
    MoldedOnKinds r =
        run_on_kinds(plain_and_fast(), w, Backfill::kEasy, Molding::kEndsFirst, {nullptr, nullptr, placement});
    CHECK(r.violations == std::vector<std::string>{});
    CHECK(r.nodes(0) == "2-3");
    CHECK(r.end(0) == 20);  // twice as fast
    CHECK(r.workload.requests[r.workload.jobs[0].request].nodes == 2);
    CHECK(r.start(1) == 20);
    r = run_on_kinds(plain_and_fast(), w, Backfill::kEasy, Molding::kAsked, {nullptr, nullptr, placement});
    CHECK(r.nodes(0) == "2");
    CHECK(r.end(0) == 40);
    CHECK(r.nodes(1) == "3");
  });
}

TEST_CASE("a moldable job has parts of as many nodes as it chooses", "[workflow]") {
  Request part;
  part.nodes = 2;
  part.cores = kWholeCore;
  part.gpus = 1;
  part.gpu_share = 500;
  Workload w = test::workload_of({test::job_of(1, 0, 2, 40), test::job_of(2, 0, 2, 40), test::job_of(3, 0, 2, 40)});
  for (Job& job : w.jobs) job.request = w.requests.intern(part);
  for (std::size_t j = 0; j != 3; ++j) say_sizes(w, j, "1:60");
  // Two halves of each GPU: the third job would end at 80 with two nodes, and at 100 with one.
  const MoldedOnKinds r = run_on_kinds(plain_and_fast(), w, Backfill::kEasy, Molding::kEndsFirst);
  CHECK(r.violations == std::vector<std::string>{});
  CHECK(r.nodes(0) == "2-3");
  CHECK(r.nodes(1) == "2-3");
  CHECK(r.end(2) == 40);  // the others end at 20, twice as fast as is known before
  CHECK(r.workload.jobs[2].size == 2);
}

TEST_CASE("the sizes that a partition admits", "[workflow]") {
  MachineSpec machine = test::by_node(4);
  auto layout = std::make_shared<MachineLayout>(*machine.layout);
  for (const bool wide : {false, true}) {
    Partition p;
    p.name = wide ? "wide" : "short";
    p.nodes = NodeSet(4);
    for (NodeId n = 0; n != 4; ++n) p.nodes.insert(n);
    if (wide) p.max_nodes = 2;
    else p.max_time = whole_seconds(30);
    layout->partitions.push_back(p);
  }
  machine.layout = layout;
  const auto ran = [&](std::int32_t partition) {
    Request r;
    r.nodes = 4;
    r.exclusive = true;
    r.partitions = {partition};
    Workload w = test::workload_of({test::job_of(1, 0, 4, 20)});
    w.jobs[0].request = w.requests.intern(r);
    say_sizes(w, 0, "2:40,1:80");
    const MoldedOnKinds m = run_on_kinds(machine, w, Backfill::kEasy, Molding::kEndsFirst);
    CHECK(m.violations == std::vector<std::string>{});
    return std::pair(m.nodes(0), m.end(0));
  };
  CHECK(ran(0) == std::pair(std::string("0-3"), 20.0));  // the others are too long
  CHECK(ran(1) == std::pair(std::string("0-1"), 40.0));  // its own is too wide
}

namespace {

struct SeenSizes {
  std::size_t other = 0, interrupted = 0;
};

/// Declines some of the nodes on which a job fits.
class Declining : public Placement {
 public:
  bool choose(std::uint32_t job, const Request& request, const NodePool& pool, const NodeSet& fitting,
              Parts& out) override {
    NodeSet some(fitting.size());
    fitting.for_each([&](NodeId n) {
      if ((job + static_cast<std::uint32_t>(n)) % 3 != 0 || pool.room(n).jobs == 0) some.insert(n);
    });
    return some.count() >= request.nodes && first_fit_.choose(job, request, pool, some, out);
  }

 private:
  FirstFit first_fit_;
};

/// Random machines, requests, sizes, outages, reservations and, if `beside`, slowdowns and placements; what is wrong,
/// "" if nothing is.
std::string wrong_sizes(std::uint64_t seed, SeenSizes& seen, bool beside = false) {
  cases::Case c = cases::random_case(seed, seed % 2 == 0);
  cases::Dice dice(seed + 7'000'000);
  for (std::size_t j = 0; j != c.workload.jobs.size(); ++j) {
    if (dice.one_in(3)) continue;
    say_sizes(c.workload, j,
              dice.one_in(2)
                  ? "1-4 downey 3 0.5"
                  : fmt::format("{}:{},{}:{}", dice.from(1, 5), dice.from(1, 9), dice.from(1, 5), dice.from(1, 9)));
  }
  OutageOptions outages;
  if (dice.one_in(2))
    for (int i = dice.from(1, 3); i > 0; --i) {
      const int from = dice.from(0, 30);
      outages.plan.listed.push_back(window_of(from, from + dice.from(1, 12), {dice.from(0, c.machine.nodes - 1)},
                                              static_cast<OutageKind>(dice.from(0, 2))));
    }
  if (dice.one_in(3)) outages.checkpoints.interval = whole_seconds(dice.from(1, 3));
  NodeReservations reservations;
  if (dice.one_in(2)) {
    reservations = cases::random_reservations(dice, c.machine.nodes, false);
    cases::name_some(dice, c.workload, reservations);
  }
  const twin::HashedSlowdowns slowdowns(seed);
  ContentionOptions contention{&slowdowns};
  contention.own = seed % 4 == 0;
  Declining declining;
  for (const Molding rule : kRules)
    for (const Backfill backfill : kKinds) {
      MoldedOnKinds ran;
      const auto where = [&](const std::string& what) {
        return fmt::format("seed {}, rule {}, backfill {}: {}", seed, static_cast<int>(rule),
                           static_cast<int>(backfill), what);
      };
      try {
        ran = run_on_kinds(
            c.machine, c.workload, backfill, rule,
            {outages.plan.listed.empty() ? nullptr : &outages, reservations.empty() ? nullptr : &reservations,
             beside && seed % 3 != 0 ? &declining : nullptr, beside && seed % 3 != 1 ? &contention : nullptr});
      } catch (const std::exception& e) {
        return where(e.what());
      }
      if (!ran.violations.empty()) return where(ran.violations.front());
      seen.interrupted += ran.result.interrupted.size();
      for (JobIndex j = 0; j != c.workload.jobs.size(); ++j)
        seen.other +=
            ran.result.outcomes[j].start != kNever && ran.workload.jobs[j].request != c.workload.jobs[j].request;
    }
  return "";
}

}  // namespace

TEST_CASE("random moldable jobs where nodes differ, fail and are reserved",
          "[workflow][outages][reservations][property]") {
  SeenSizes seen;
  for (std::uint64_t seed = 0; seed != 250; ++seed) REQUIRE(wrong_sizes(seed, seen) == "");
  CHECK(seen.other > 400);
  CHECK(seen.interrupted > 80);
}

TEST_CASE("random moldable jobs beside which others are slower, and with placements that decline nodes",
          "[workflow][property][times]") {
  SeenSizes seen;
  for (std::uint64_t seed = 0; seed != test::rounds(std::uint64_t{150}); ++seed)
    REQUIRE(wrong_sizes(seed, seen, true) == "");
  CHECK(seen.other > 180);
}

TEST_CASE("random moldable jobs where nodes differ, at length", "[.][at_length][workflow]") {
  SeenSizes seen;
  for (const std::uint64_t seed : test::cases_at_length(250, 10'350)) REQUIRE(wrong_sizes(seed, seen) == "");
}

}  // namespace moldable_kinds_test

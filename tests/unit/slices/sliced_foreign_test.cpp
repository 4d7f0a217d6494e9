// Jobs in slices of other classes on heterogeneous machines.
#include "case_range.h"
#include "catch.h"

#include "sliced_cases.h"
#include "unit/asked_slowdowns.h"

namespace sliced_foreign_test {

using namespace coslice;
using namespace coslice::sliced;

namespace {

struct Asked {
  double submit, runtime, limit;
  Request request;
};

Request cores(std::int32_t n) {
  Request r;
  r.cores = n * kWholeCore;
  return r;
}

Request in_partition(std::int32_t p) {
  Request r = cores(1);
  r.partitions = {p};
  return r;
}

Request with_licence() {
  Request r = cores(1);
  r.licences.push_back({0, 1});
  return r;
}

/// Nodes with that many cores each, a partition for each of them, and one licence.
cases::Case machine(const std::vector<std::int32_t>& nodes, const std::vector<Asked>& jobs) {
  cases::Case c;
  auto layout = std::make_shared<MachineLayout>();
  for (const std::int32_t n : nodes) {
    NodeKind kind;
    kind.name = std::string(1, static_cast<char>('a' + layout->node_count()));
    kind.cores = n;
    kind.first = layout->node_count();
    layout->kinds.push_back(kind);
  }
  for (NodeId n = 0; n != layout->node_count(); ++n) {
    Partition partition;
    partition.name = "p" + std::to_string(n);
    partition.nodes = NodeSet(layout->node_count());
    partition.nodes.insert(n);
    partition.by_default = n == 0;
    layout->partitions.push_back(partition);
  }
  layout->licences.push_back({"licence", 1});
  c.machine.nodes = layout->node_count();
  c.machine.layout = layout;
  for (const Asked& a : jobs) {
    Job job;
    job.id = static_cast<std::int64_t>(c.workload.jobs.size()) + 1;
    job.submit = Time{from_seconds(a.submit)};
    job.runtime = from_seconds(a.runtime);
    job.limit = from_seconds(a.limit);
    job.request = c.workload.requests.intern(a.request);
    c.workload.jobs.push_back(job);
  }
  return c;
}

SliceOptions letting_in(double interval, double up_to, bool evict = true) {
  SliceOptions o = two_classes(interval, up_to);
  o.foreign = ForeignJobs::kSafe;
  o.evict = evict;
  return o;
}

Ran clean(const cases::Case& c, const SliceOptions& slices, Backfill backfill = Backfill::kEasy,
          const ContentionOptions* contention = nullptr) {
  const Ran ran = run(c, slices, contention, backfill);
  CHECK(ran.violations == std::vector<std::string>{});
  return ran;
}

}  // namespace

TEST_CASE("jobs of another class take the parts of a node that a slice leaves", "[slices][foreign]") {
  // The slice of the short job is [0, 100). One of the others finishes in it, the last one begins when there is room.
  const Ran ran =
      clean(machine({2}, {{0, 30, 30, cores(1)}, {0, 40, 45, cores(1)}, {0, 120, 150, cores(1)}}), letting_in(200, 30));
  CHECK(begin(ran, 1) == 0);
  CHECK(end(ran, 1) == 40);
  CHECK(begin(ran, 2) == 30);
  CHECK(end(ran, 2) == 150);  // on through its own slice, in which the first 70 s are done
  CHECK(ran.counts.foreign_finishing == 1);
  CHECK(ran.counts.foreign_pinned == 1);
}

TEST_CASE("a job of the slice's class stops the last started of those that have what it needs", "[slices][foreign]") {
  // Two long jobs on both cores of a node; a short one of 10 s comes at 5 s.
  const Ran one = clean(machine({2}, {{0, 100, 1000, cores(1)}, {0, 100, 1000, cores(1)}, {5, 10, 10, cores(1)}}),
                        letting_in(100, 30));
  CHECK(begin(one, 2) == 5);
  CHECK(end(one, 0) == 100);
  CHECK(end(one, 1) == 110);
  CHECK(one.counts.evictions == 1);
  CHECK(one.counts.foreign_resumed == 2);  // at 15 s, and in the short slice from 100 s on
  CHECK(one.counts.preemptions == 4);

  // The one that started last is on another node than the one that is asked for.
  const Ran other = clean(
      machine({1, 1}, {{0, 100, 1000, in_partition(0)}, {0, 100, 1000, in_partition(1)}, {5, 10, 10, in_partition(0)}}),
      letting_in(100, 30));
  CHECK(begin(other, 2) == 5);
  CHECK(end(other, 0) == 110);
  CHECK(end(other, 1) == 100);
  CHECK(other.counts.evictions == 1);

  // There are cores for all of them, but only one licence.
  const Ran licence =
      clean(machine({4}, {{0, 100, 1000, with_licence()}, {0, 100, 1000, cores(1)}, {5, 10, 10, with_licence()}}),
            letting_in(100, 30));
  CHECK(begin(licence, 2) == 5);
  CHECK(end(licence, 0) == 110);
  CHECK(end(licence, 1) == 100);
  CHECK(licence.counts.evictions == 1);
}

TEST_CASE("no job has to stop for one that finds a place beside them", "[slices][foreign]") {
  // The long job is on the first node, and the short one may have either.
  SliceOptions slices = letting_in(100, 30);
  slices.nodes = NodeChoice::kFirstFree;
  cases::Case c = machine({1, 1}, {{0, 60, 1000, cores(1)}, {5, 10, 10, cores(1)}});
  auto layout = std::make_shared<MachineLayout>(*c.machine.layout);
  layout->partitions.clear();
  c.machine.layout = layout;
  const Ran ran = clean(c, slices);
  CHECK(begin(ran, 1) == 5);
  CHECK(end(ran, 0) == 60);
  CHECK(ran.counts.evictions == 0);
}

TEST_CASE("where no job has to stop, a job of the slice's class waits", "[slices][foreign]") {
  const cases::Case c = machine({2}, {{0, 60, 1000, cores(1)}, {5, 10, 10, cores(2)}});
  const Ran evicted = clean(c, letting_in(100, 30));
  CHECK(begin(evicted, 1) == 5);
  CHECK(end(evicted, 0) == 70);
  const Ran stayed = clean(c, letting_in(100, 30, false));
  CHECK(end(stayed, 0) == 60);
  CHECK(begin(stayed, 1) == 60);  // in the long job's own slice, which it finishes in
  CHECK(stayed.counts.foreign_finishing == 1);
}

TEST_CASE("no reservation of the slice's class is delayed", "[slices][foreign]") {
  // Of three cores two are taken until 39 s, then all are promised for 10 s. The slice is [0, 100).
  const cases::Case c = machine({3}, {{0, 39, 39, cores(2)}, {0, 10, 10, cores(3)}, {0, 45, 45, cores(1)}});
  for (const Backfill backfill : {Backfill::kEasy, Backfill::kConservative}) {
    const Ran ran = clean(c, letting_in(200, 39), backfill);
    CHECK(begin(ran, 1) == 39);
    CHECK(begin(ran, 2) == 49);
    CHECK(ran.counts.foreign_finishing == 1);
  }
}

namespace {

/// Lets jobs run on for 50 s beyond their limits: those of all partitions, or as the engine says.
void let_run_on(cases::Case& c, EngineOptions& engine, bool by_partition) {
  if (!by_partition) return static_cast<void>(engine.over_limit = whole_seconds(50));
  auto layout = std::make_shared<MachineLayout>(*c.machine.layout);
  for (Partition& p : layout->partitions) p.over_limit = whole_seconds(50);
  c.machine.layout = layout;
}

}  // namespace

TEST_CASE("what a job may do beyond its limit is not promised to the slice's class", "[slices][foreign]") {
  // The slice of the short jobs is [0, 100), then one of 100 s of the long ones, in which a short job comes at 110 s.
  // What its limit leaves it is over at 170 s: it finishes in the slice; or at 240 s: it is there for all of it.
  struct Short {
    double limit, runtime, other;  ///< and when the long job starts, which comes at 115 s
  };
  for (const auto& [limit, runtime, other] : {Short{10, 60, 170}, Short{10, 30, 140}, Short{80, 130, 240}})
    for (const bool counted : {false, true})
      for (const bool by_partition : {false, true})
        for (const Backfill backfill : {Backfill::kEasy, Backfill::kConservative}) {
          INFO("limit " << limit << " counted " << counted << " by partition " << by_partition);
          const Request request = counted ? cores(1) : in_partition(0);
          cases::Case c = machine(counted ? std::vector{1} : std::vector{1, 1},
                                  {{110, runtime, limit, request}, {115, 150, 150, request}});
          EngineOptions engine;
          let_run_on(c, engine, by_partition);
          PromiseWatch promises(c.workload.jobs.size());
          const Ran ran = run(c, letting_in(200, 90, false), nullptr, backfill, engine, &promises);
          CHECK(ran.violations == std::vector<std::string>{});
          CHECK(promises.complaints == std::vector<std::string>{});
          CHECK(begin(ran, 1) == other);
        }
}

TEST_CASE("no reservation of the job's own class is delayed", "[slices][foreign]") {
  // In the time of the long class the first job has one of two cores until 200 s, then the second one has both.
  const auto with_limit = [](double limit) {
    return machine({2}, {{0, 200, 200, cores(1)}, {0, 10, 200, cores(2)}, {0, 20, limit, cores(1)}});
  };
  for (const Backfill backfill : {Backfill::kEasy, Backfill::kConservative}) {
    const Ran fits = clean(with_limit(200), letting_in(100, 10), backfill);
    CHECK(begin(fits, 2) == 0);
    CHECK(begin(fits, 1) == 200);
    const Ran waits = clean(with_limit(300), letting_in(100, 10), backfill);
    CHECK(begin(waits, 1) == 200);
    CHECK(begin(waits, 2) == 210);
  }
}

TEST_CASE("a job of another class slows down those on its nodes, and is slowed down", "[slices][foreign]") {
  AskedSlowdowns slowdowns;
  slowdowns.ask_beside = [](JobIndex, JobIndex) { return 2.0; };
  const ContentionOptions contention{&slowdowns};
  const Ran ran = clean(machine({2}, {{0, 20, 20, cores(1)}, {0, 45, 1000, cores(1)}}), letting_in(100, 30),
                        Backfill::kEasy, &contention);
  CHECK(end(ran, 0) == 40);  // at half the speed
  CHECK(end(ran, 1) == 65);  // 20 s of work by 40 s, the rest alone
}

TEST_CASE("a job that stops is held for what it takes beside those that came in its slice", "[slices][foreign]") {
  AskedSlowdowns slowdowns;
  slowdowns.ask_beside = [](JobIndex, JobIndex) { return 2.0; };
  const ContentionOptions contention{&slowdowns};
  // Alone, the short job had ended at 90 s; a long one comes beside it, and at 100 s half of it is done. Another long
  // one keeps it from the next slice, in which a short one comes that waits for both cores.
  const cases::Case c = machine(
      {2}, {{0, 90, 90, cores(1)}, {0, 1000, 1000, cores(1)}, {0, 1000, 1000, cores(1)}, {110, 90, 90, cores(2)}});
  for (const Backfill backfill : {Backfill::kEasy, Backfill::kConservative})
    clean(c, letting_in(200, 90), backfill, &contention);  // no start is promised in the past
}

TEST_CASE("where others may slow it down, no job counts as one that finishes in a slice", "[slices][foreign]") {
  AskedSlowdowns slowdowns;
  slowdowns.ask_beside = [](JobIndex, JobIndex) { return 2.0; };
  const ContentionOptions contention{&slowdowns};
  // Believed to end at 45 s; beside the short jobs it does not: the slice ends at 50 s.
  const cases::Case c = machine({2}, {{0, 40, 45, cores(1)}, {0, 30, 30, cores(1)}});
  const Ran ran = clean(c, letting_in(100, 30), Backfill::kEasy, &contention);
  CHECK(ran.counts.foreign_finishing == 0);
  CHECK(ran.counts.foreign_pinned == 1);
  CHECK(end(ran, 1) == 60);  // 25 s of its work in the first slice, and goes on beside the long one in the next
  CHECK(end(ran, 0) == 70);
}

TEST_CASE("with jobs of other classes no work is lost, nothing overdrawn and no promise broken on random machines",
          "[slices][foreign]") {
  SliceCounts seen;
  for (std::uint64_t seed = 0; seed != 250; ++seed) {
    const std::string wrong = wrong_in_drawn(seed, seen);
    INFO(wrong);
    REQUIRE(wrong.empty());
  }
  CHECK(seen.foreign_resumed > 500);
  CHECK(seen.foreign_finishing > 100);
  CHECK(seen.foreign_pinned > 500);
  CHECK(seen.evictions > 30);
}

TEST_CASE("slices on random machines with GPUs and parts of nodes, at length", "[.][at_length][slices][kinds]") {
  SliceCounts seen;
  std::uint64_t cases = 0, refused = 0;
  for (const std::uint64_t seed : test::cases_at_length(250, 10'000)) {
    const std::string wrong = wrong_in_drawn(seed, seen);
    ++cases;
    if (swaps_for_ever(wrong)) ++refused;
    else REQUIRE(wrong == "");
  }
  CHECK(refused <= 1 + cases / 2000);
}

}  // namespace sliced_foreign_test

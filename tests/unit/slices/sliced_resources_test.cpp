// Time slices on heterogeneous machines: jobs of a class share nodes with one another and interfere,
// and their memory is loaded and swapped.
#include "catch.h"

#include "sliced_cases.h"
#include "unit/asked_slowdowns.h"

namespace sliced_resources_test {

using namespace coslice;
using namespace coslice::sliced;

namespace {

/// A node of two cores and 100 MiB; jobs of a core each come at once.
cases::Case one_node(const std::vector<std::pair<int, int>>& runtimes_and_limits) {
  cases::Case c;
  auto layout = std::make_shared<MachineLayout>();
  NodeKind kind;
  kind.name = "n";
  kind.cores = 2;
  layout->kinds.push_back(kind);
  c.machine.nodes = 1;
  c.machine.layout = layout;
  Request r;
  r.cores = kWholeCore;
  for (const auto& [runtime, limit] : runtimes_and_limits) {
    Job job;
    job.id = static_cast<std::int64_t>(c.workload.jobs.size()) + 1;
    job.runtime = whole_seconds(runtime);
    job.limit = whole_seconds(limit);
    job.request = c.workload.requests.intern(r);
    c.workload.jobs.push_back(job);
  }
  return c;
}

}  // namespace

TEST_CASE("each class has the whole machine in its slices, and its jobs share nodes there") {
  // Two short jobs of 40 s beside one another, two long ones of 60 s: slices of 50 s each, by turns.
  const Ran ran = run(one_node({{40, 100}, {40, 100}, {60, 1000}, {60, 1000}}), two_classes(100, 100), nullptr);
  CHECK(ran.violations == std::vector<std::string>{});
  CHECK(end(ran, 0) == 40);
  CHECK(end(ran, 1) == 40);
  CHECK(end(ran, 2) == 160);  // 50 to 100, and the last 10 s after the short ones' slice
  CHECK(end(ran, 3) == 160);
  CHECK(ran.counts.preemptions == 2);
}

TEST_CASE("jobs of a slice slow one another down, those of other slices do not") {
  AskedSlowdowns slowdowns;
  slowdowns.ask_beside = [](JobIndex, JobIndex) { return 2.0; };
  const ContentionOptions contention{&slowdowns};
  EngineOptions engine;
  engine.at_limit = AtLimit::kExtend;
  const Ran ran =
      run(one_node({{20, 100}, {40, 100}, {10, 1000}}), two_classes(100, 100), &contention, Backfill::kEasy, engine);
  CHECK(ran.violations == std::vector<std::string>{});
  CHECK(end(ran, 0) == 40);   // 20 s at half the speed
  CHECK(end(ran, 2) == 60);   // alone in its slice
  CHECK(end(ran, 1) == 110);  // 20 s of work by 40 s, 10 s more alone until 50 s, the last 10 s from 100 s on
}

TEST_CASE("memory is loaded again where jobs of another slice displaced it, not where it stayed") {
  SliceOptions slices = two_classes(100, 100);
  slices.memory = whole_seconds(10);  // transferring a whole node's
  slices.memory_of = [](const View&, JobIndex j) { return whole_seconds(j < 2 ? 3 : 4); };
  // Two short jobs need 6 of 10, the long one 4: all stay.
  const cases::Case fits = one_node({{70, 100}, {70, 100}, {60, 1000}});
  const Ran stayed = run(fits, slices, nullptr);
  CHECK(stayed.violations == std::vector<std::string>{});
  CHECK(to_seconds(stayed.overhead) == 3 + 3 + 4);
  CHECK(end(stayed, 0) == 123);
  slices.memory_of = [](const View&, JobIndex j) { return whole_seconds(j < 2 ? 3 : 7); };
  const Ran swapped = run(fits, slices, nullptr);
  CHECK(swapped.violations == std::vector<std::string>{});
  CHECK(swapped.counts.swaps > 0);
  CHECK(to_seconds(swapped.overhead) > 3 + 3 + 7);
}

TEST_CASE("running jobs keep their memory as long as others can give theirs") {
  SwappedParts memory(1, whole_seconds(10));
  NodeRanges node;
  node.append(0, 0);
  memory.transfer(node, 1, whole_seconds(4), whole_seconds(4));  // the oldest, and runs
  memory.transfer(node, 2, whole_seconds(4), whole_seconds(4));
  memory.stopped(node, 2);
  const auto displaced = memory.transfer(node, 3, whole_seconds(5), whole_seconds(5));
  REQUIRE(displaced.size() == 1);
  CHECK(displaced[0].owner == 2);
  CHECK(memory.resident(0, 1) == whole_seconds(4));
  CHECK(memory.resident(0, 2) == whole_seconds(1));
}

TEST_CASE("no work is lost and nothing overdrawn in slices on random machines") {
  std::size_t met = 0, preempted = 0, loads = 0;
  for (std::uint64_t seed = 0; seed != 300; ++seed) {
    const cases::Case c = twin::crowded_case(seed);
    const twin::HashedSlowdowns slowdowns(seed);
    for (const Backfill backfill : {Backfill::kEasy, Backfill::kConservative}) {
      for (const bool modelled : {false, true}) {
        ContentionOptions options{&slowdowns,
                                  seed % 3 == 0 ? ContentionOptions::Among::kGpu : ContentionOptions::Among::kNode,
                                  static_cast<ContentionOptions::Combine>(seed % 5 % 3)};
        options.own = seed % 4 == 0;
        SliceOptions slices = two_classes(static_cast<double>(3 + seed % 4), static_cast<double>(2 + seed % 5));
        slices.charge_continuing = seed % 2 == 0;
        if (modelled) {
          slices.memory = whole_seconds(2);
          slices.memory_of = [](const View&, JobIndex j) { return from_seconds(0.1 + 0.2 * (j % 4)); };
        }
        EngineOptions engine;
        engine.at_limit = seed % 2 == 0 ? AtLimit::kExtend : AtLimit::kKill;
        const Ran ran = run(c, slices, &options, backfill, engine);
        INFO("seed " << seed << (backfill == Backfill::kEasy ? ", EASY" : ", conservative")
                     << (modelled ? ", memory" : ""));
        REQUIRE(twin::work_lost(c, options, ran.lives) == "");
        REQUIRE(ran.violations == std::vector<std::string>{});
        met += twin::meetings(ran.lives);
        preempted += static_cast<std::size_t>(ran.counts.preemptions);
        loads += static_cast<std::size_t>(ran.counts.loads);
      }
    }
  }
  CHECK(met > 500);
  CHECK(preempted > 500);
  CHECK(loads > 500);
}

}  // namespace sliced_resources_test

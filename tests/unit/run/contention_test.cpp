// Jobs that interfere on the nodes that they share.
#include "catch.h"

#include "contention_twin.h"
#include "message_of.h"
#include "observe/invariants.h"
#include "run/simulation.h"
#include "schedule/queue_scheduler.h"
#include "unit/asked_slowdowns.h"

namespace contention_test {

using namespace coslice;

namespace {

using Among = ContentionOptions::Among;
using Combine = ContentionOptions::Combine;

struct Ran {
  std::vector<twin::Life> lives;
  std::vector<std::string> violations;
};

Ran run(const cases::Case& c, const ContentionOptions& contention, Backfill backfill, AtLimit at_limit) {
  QueueSchedulerOptions options;
  options.backfill = backfill;
  QueueScheduler scheduler(options);
  EngineOptions engine;
  engine.at_limit = at_limit;
  Simulation simulation(c.machine, c.workload.jobs, scheduler, engine, {&c.workload.requests, {}, &contention});
  twin::Lives lives(c.workload.jobs.size());
  InvariantChecker invariants(c.machine, c.workload.jobs, engine, {});
  ResourceInvariants resources(c.machine, c.workload.jobs, c.workload.requests, ResourceInvariants::Speeds::kVary);
  simulation.add(lives);
  simulation.add(invariants);
  simulation.add(resources);
  simulation.run();
  invariants.finish();
  Ran ran{std::move(lives.lives), invariants.violations()};
  ran.violations.insert(ran.violations.end(), resources.violations().begin(), resources.violations().end());
  return ran;
}

/// A machine of one node with that many cores, and jobs of a core each that all come at once.
cases::Case one_node(std::int32_t cores, const std::vector<int>& runtimes) {
  cases::Case c;
  auto layout = std::make_shared<MachineLayout>();
  NodeKind kind;
  kind.name = "n";
  kind.cores = cores;
  layout->kinds.push_back(kind);
  c.machine.nodes = 1;
  c.machine.layout = layout;
  Request r;
  r.cores = kWholeCore;
  for (const int runtime : runtimes) {
    Job job;
    job.id = static_cast<std::int64_t>(c.workload.jobs.size()) + 1;
    job.runtime = whole_seconds(runtime);
    job.limit = whole_seconds(10 * runtime);
    job.request = c.workload.requests.intern(r);
    c.workload.jobs.push_back(job);
  }
  return c;
}

std::vector<double> ends(const Ran& ran) {
  std::vector<double> all;
  for (const twin::Life& l : ran.lives) all.push_back(to_seconds(l.runs.back().to.time_since_epoch()));
  return all;
}

AskedSlowdowns always(double factor) {
  AskedSlowdowns s;
  s.ask_over_processors = [](JobIndex) { return 2.0; };
  s.ask_over_cores = [](JobIndex) { return 1.5; };
  s.ask_beside = [factor](JobIndex, JobIndex) { return factor; };
  return s;
}

}  // namespace

TEST_CASE("two jobs slow one another down until the first has ended") {
  const AskedSlowdowns slowdowns = always(1.5);
  // Job 1 needs 100 s of work at 1 / 1.5: 150 s. By then job 2 has done 100 s of 200, and goes on alone.
  const Ran ran = run(one_node(2, {100, 200}), {&slowdowns}, Backfill::kEasy, AtLimit::kKill);
  CHECK(ends(ran) == std::vector<double>{150, 250});
  CHECK(ran.violations.empty());
}

TEST_CASE("several jobs on a node: the product of their factors, the worst, or their sum") {
  const AskedSlowdowns slowdowns = always(2);
  const auto first_end = [&](Combine combine) {
    return ends(run(one_node(3, {30, 30, 30}), {&slowdowns, Among::kNode, combine}, Backfill::kEasy, AtLimit::kKill));
  };
  CHECK(first_end(Combine::kProduct) == std::vector<double>{120, 120, 120});
  CHECK(first_end(Combine::kWorst) == std::vector<double>{60, 60, 60});
  CHECK(first_end(Combine::kSum) == std::vector<double>{90, 90, 90});
}

TEST_CASE("a job is killed at its limit, however slow it was made") {
  const AskedSlowdowns slowdowns = always(4);
  cases::Case c = one_node(2, {100, 100});
  c.workload.jobs[0].limit = whole_seconds(200);
  const Ran ran = run(c, {&slowdowns}, Backfill::kEasy, AtLimit::kKill);
  CHECK(ran.lives[0].killed);
  CHECK(!ran.lives[1].killed);
  CHECK(ends(ran) == std::vector<double>{200, 250});  // 50 s of work beside the other one, 50 s alone
  CHECK(ends(run(c, {&slowdowns}, Backfill::kEasy, AtLimit::kExtend)) == std::vector<double>{400, 400});
}

TEST_CASE("only jobs on the same GPU slow one another down, if so chosen") {
  const AskedSlowdowns slowdowns = always(2);
  cases::Case c = one_node(4, {10, 10, 10});
  auto layout = std::make_shared<MachineLayout>(*c.machine.layout);
  layout->kinds[0].gpus = 2;
  layout->kinds[0].gpu_type = 0;
  layout->gpu_types = {"gpu"};
  c.machine.layout = layout;
  Request half;
  half.cores = kWholeCore;
  half.gpus = 1;
  half.gpu_share = 500;
  for (Job& job : c.workload.jobs) job.request = c.workload.requests.intern(half);
  // The first two get shares of one GPU, the third one has the other GPU.
  CHECK(ends(run(c, {&slowdowns, Among::kGpu}, Backfill::kEasy, AtLimit::kKill)) == std::vector<double>{20, 20, 10});
}

TEST_CASE("a job's own processes count if run times are with one process on a node") {
  const AskedSlowdowns slowdowns = always(1);
  cases::Case c = one_node(4, {10});
  Request r;
  r.cores = 2 * kWholeCore;
  c.workload.jobs[0].request = c.workload.requests.intern(r);
  ContentionOptions own{&slowdowns};
  own.own = true;
  CHECK(ends(run(c, own, Backfill::kEasy, AtLimit::kKill)) == std::vector<double>{30});  // 2 x 1.5: one processor
  auto layout = std::make_shared<MachineLayout>(*c.machine.layout);
  layout->kinds[0].processors = 2;
  c.machine.layout = layout;
  CHECK(ends(run(c, own, Backfill::kEasy, AtLimit::kKill)) == std::vector<double>{20});
}

TEST_CASE("slowdowns that no rate can hold are an error that names the job") {
  const AskedSlowdowns slowdowns = always(500);
  const cases::Case c = one_node(4, {1, 1, 1, 1});
  CHECK_THAT(message_of([&] { run(c, {&slowdowns}, Backfill::kEasy, AtLimit::kExtend); }),
             Catch::Contains("job 4 is slowed down 1.25e+08 times"));
}

TEST_CASE("work is conserved on random machines, with every rule") {
  std::size_t met = 0;
  for (std::uint64_t seed = 0; seed != 400; ++seed) {
    const cases::Case c = twin::crowded_case(seed);
    const twin::HashedSlowdowns slowdowns(seed);
    for (const Backfill backfill : {Backfill::kEasy, Backfill::kConservative}) {
      for (const AtLimit at_limit : {AtLimit::kKill, AtLimit::kExtend}) {
        ContentionOptions options{&slowdowns, seed % 3 == 0 ? Among::kGpu : Among::kNode,
                                  static_cast<Combine>(seed % 5 % 3)};
        options.own = seed % 4 == 0;
        const Ran ran = run(c, options, backfill, at_limit);
        INFO("seed " << seed << (backfill == Backfill::kEasy ? ", EASY" : ", conservative")
                     << (at_limit == AtLimit::kKill ? ", kill" : ", extend"));
        REQUIRE(twin::work_lost(c, options, ran.lives) == "");
        REQUIRE(ran.violations == std::vector<std::string>{});
        met += twin::meetings(ran.lives);
      }
    }
  }
  CHECK(met > 1000);  // the cases are about jobs that share nodes
}

}  // namespace contention_test

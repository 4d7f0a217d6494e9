// Hand-worked schedules under time slices, one per rule.
#include <memory>

#include "core/error.h"
#include "metrics/recorder.h"
#include "sched/queue_scheduler.h"
#include "sched/sliced_simulation.h"
#include "unit/sim_helpers.h"

using namespace coslice;
using namespace coslice::test;

namespace {

/// Short up to 600 s on demand, medium up to 3 h with 30 %, long with 70 % of an hour; 60 s lost at each slice's end.
SliceOptions usual() {
  SliceOptions o;
  o.classes = {{"short", whole_seconds(600), 0, true, whole_seconds(600)},
               {"medium", whole_seconds(10800), 0.3, false, {}},
               {"long", Duration::max(), 0.7, false, {}}};
  return o;
}

struct Sliced {
  Workload workload;
  RunResult result;
  SliceCounts counts;
  std::vector<Duration> overhead;
  std::vector<std::string> violations;

  double start(int i) const { return to_seconds(result.outcomes[static_cast<std::size_t>(i)].start); }
  double end(int i) const { return to_seconds(result.outcomes[static_cast<std::size_t>(i)].end); }
  std::string nodes(int i) const { return result.archive.get(result.outcomes[static_cast<std::size_t>(i)].nodes).str(); }
};

Sliced slice(Workload w, int nodes, const SliceOptions& options,
             const QueueSchedulerOptions& scheduler = conservative(), const EngineOptions& engine = {}) {
  Sliced s;
  s.workload = std::move(w);
  const MachineSpec machine{nodes};
  std::vector<std::unique_ptr<QueueScheduler>> schedulers;
  std::vector<Scheduler*> pointers;
  for (std::size_t i = 0; i != options.classes.size(); ++i) {
    schedulers.push_back(std::make_unique<QueueScheduler>(scheduler));
    pointers.push_back(schedulers.back().get());
  }
  Recorder recorder(s.workload, machine);
  InvariantChecker checker(machine, s.workload.jobs, engine);
  SlicedSimulation simulation(machine, s.workload.jobs, pointers, options, engine);
  simulation.add(recorder);
  simulation.add(checker);
  simulation.run();
  checker.finish();
  s.violations = checker.violations();
  s.counts = simulation.counts();
  s.overhead = simulation.overhead();
  s.result = recorder.take();
  return s;
}

}  // namespace

TEST_CASE("a long job alone also runs in medium slices", "[slices]") {
  // 0-1020 foreign, lost to 1080, 1080-3540 its own, lost to 3600, 3600-4620 foreign, lost to 4680, 500 s left.
  const Sliced s = slice(workload({{0, 1, 5000, 11000}}), 4, usual());
  CHECK(s.violations.empty());
  CHECK(s.start(0) == 0);
  CHECK(s.end(0) == 5180);
  SliceOptions alone = usual();
  alone.foreign = ForeignJobs::kNone;
  const Sliced t = slice(workload({{0, 1, 5000, 11000}}), 4, alone);
  CHECK(t.violations.empty());
  CHECK(t.start(0) == 1080);
  CHECK(t.end(0) == 8360);
}

TEST_CASE("random workloads under slices: work is conserved, no node is held twice, everybody ends", "[slices][property]") {
  for (unsigned seed = 1; seed <= 120; ++seed) {
    const int nodes = 1 + static_cast<int>(seed % 12);
    Workload w = random_workload(seed, 60, nodes);
    for (Job& job : w.jobs) {  // spread over the classes
      job.runtime *= 1 + (seed * 7919 + job.id * 104729) % 1500;
      job.limit = std::max(job.limit, job.limit * ((seed + job.id) % 1500));
      job.submit = Time{job.submit.time_since_epoch() * 300};
    }
    SliceOptions options = usual();
    options.interval = seed % 2 == 0 ? whole_seconds(3600) : whole_seconds(1800);
    options.overhead = whole_seconds(seed % 3 == 0 ? 0 : 60);
    options.charge_continuing = seed % 5 != 0;
    options.foreign = seed % 7 == 0 ? ForeignJobs::kNone : ForeignJobs::kSafe;
    options.foreign_nodes = seed % 11 == 0 ? ForeignNodes::kAlwaysFreeOfOwnClass : ForeignNodes::kFreeOfOwnClass;
    options.nodes = static_cast<NodeChoice>(seed % 3);
    if (seed % 4 < 2) {
      options.overhead = Duration{0};
      options.memory = whole_seconds(100);
      options.memory_of = [](const View&, JobIndex j) { return whole_seconds(10 + (j * 37) % 91); };
    }
    EngineOptions engine;
    engine.at_limit = seed % 2 == 0 ? AtLimit::kKill : AtLimit::kExtend;
    INFO("seed " << seed << " nodes " << nodes);
    for (const auto& scheduler : {conservative(), conservative(CompressOrder::kReservedStart), easy(), fcfs()}) {
      const Sliced s = slice(w, nodes, options, scheduler, engine);
      CHECK(s.violations.empty());
      for (const std::string& v : s.violations) WARN(v);
      if (!s.violations.empty()) return;
    }
  }
}

TEST_CASE("jobs that swap each other out for ever end the run with an error", "[slices][memory]") {
  // Two jobs of the whole node in slices of 30 s: loading takes 100 s, so each goes on loading where the other stopped.
  SliceOptions o;
  o.interval = whole_seconds(60);
  o.classes = {{"medium", whole_seconds(600), 0.5, false, {}}, {"long", Duration::max(), 0.5, false, {}}};
  o.overhead = Duration{0};
  o.memory = whole_seconds(100);
  o.memory_of = [](const View&, JobIndex) { return whole_seconds(100); };
  const Workload both = workload({{0, 1, 300, 300}, {0, 1, 2000, 2000}});
  std::string said;
  try {
    slice(both, 1, o);
  } catch (const SimulationError& e) {
    said = e.what();
  }
  CHECK(said.find("2 jobs make no progress") == 0);
  CHECK(slice(workload({{0, 1, 300, 300}}), 1, o).violations.empty());
}

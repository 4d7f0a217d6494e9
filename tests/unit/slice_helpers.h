// Tiny workloads under time slices.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "run/simulation.h"
#include "unit/sim_helpers.h"

namespace coslice::test {

/// Short up to 600 s on demand, medium up to 3 h with 30 %, long with 70 % of an hour; 60 s lost at each slice's end.
inline SliceOptions usual() {
  SliceOptions o;
  o.classes = {{"short", whole_seconds(600), 0, true, whole_seconds(600)},
               {"medium", whole_seconds(10800), 0.3, false, {}},
               {"long", Duration::max(), 0.7, false, {}}};
  return o;
}

/// Jobs of up to 50 s and longer ones: of each 100 s each class has the half, and runs in its own slices only.
inline SliceOptions two_halves() {
  SliceOptions o;
  o.interval = whole_seconds(100);
  o.classes = {{"short", whole_seconds(50), 0.5, false, {}}, {"long", Duration::max(), 0.5, false, {}}};
  o.overhead = Duration{0};
  o.foreign = ForeignJobs::kNone;
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
  std::string nodes(int i) const {
    return result.archive.get(result.outcomes[static_cast<std::size_t>(i)].nodes).str();
  }
};

inline Sliced slice(Workload w, int nodes, const SliceOptions& options,
                    const QueueSchedulerOptions& scheduler = conservative(), const EngineOptions& engine = {},
                    const InvariantOptions& promises = {}, const std::vector<Observer*>& observers = {},
                    const OutageOptions* outages = nullptr) {
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
  InvariantChecker checker(machine, s.workload.jobs, engine, promises);
  Simulation simulation(machine, s.workload.jobs, pointers, options, engine, {}, {}, outages);
  simulation.add(recorder);
  simulation.add(checker);
  for (Observer* o : observers) simulation.add(*o);
  simulation.run();
  checker.finish();
  s.violations = checker.violations();
  s.counts = simulation.counts();
  s.overhead = simulation.memory().overhead();
  s.result = recorder.take();
  return s;
}

}  // namespace coslice::test

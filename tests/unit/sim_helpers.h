// Tiny workloads, a run with all invariants watched, and a generator of random small workloads.
#pragma once

#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "catch.h"
#include "observe/invariants.h"
#include "observe/recorder.h"
#include "run/simulation.h"
#include "schedule/queue_scheduler.h"

namespace coslice::test {

/// Whole seconds.
struct TinyJob {
  int submit, nodes, runtime, limit = 0;  ///< limit 0: the run time
};

inline Workload workload(const std::vector<TinyJob>& tiny) {
  Workload w;
  w.name = "tiny";
  for (const TinyJob& t : tiny) {
    Job j;
    j.id = static_cast<std::int64_t>(w.jobs.size()) + 1;
    j.submit = Time{whole_seconds(t.submit)};
    j.runtime = whole_seconds(t.runtime);
    j.limit = whole_seconds(t.limit > 0 ? t.limit : t.runtime);
    j.size = t.nodes;
    w.jobs.push_back(j);
  }
  return w;
}

struct Ran {
  Workload workload;
  RunResult result;
  std::vector<std::string> violations;
  std::size_t left = 0;

  std::vector<long> starts() const {
    std::vector<long> s;
    for (const Outcome& o : result.outcomes)
      s.push_back(o.start == kNever ? -1 : static_cast<long>(o.start.time_since_epoch().count() / 1'000'000'000));
    return s;
  }
};

inline Ran run(Workload w, int nodes, Scheduler& scheduler, const EngineOptions& engine = {},
               bool promises_kept = false) {
  Ran ran;
  ran.workload = std::move(w);
  const MachineSpec machine{nodes};
  Recorder recorder(ran.workload, machine);
  InvariantChecker checker(machine, ran.workload.jobs, engine, {promises_kept});
  Simulation simulation(machine, ran.workload.jobs, scheduler, engine);
  simulation.add(recorder);
  simulation.add(checker);
  simulation.run();
  checker.finish();
  ran.violations = checker.violations();
  ran.left = simulation.left_waiting();
  ran.result = recorder.take();
  return ran;
}

inline Ran run(Workload w, int nodes, const QueueSchedulerOptions& options, const EngineOptions& engine = {},
               bool promises_kept = false) {
  QueueScheduler scheduler(options);
  return run(std::move(w), nodes, scheduler, engine, promises_kept);
}

/// Small numbers make ties: that is where schedulers go wrong.
inline Workload random_workload(unsigned seed, int count, int nodes) {
  std::mt19937 random(seed);
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<TinyJob> jobs;
  int submit = 0;
  for (int i = 0; i < count; ++i) {
    submit += upto(3) == 0 ? upto(8) : 0;
    const int runtime = 1 + upto(12);
    const int kind = upto(4);
    const int limit = kind == 0 ? runtime : kind == 1 ? 1 + upto(12) : runtime + upto(10);
    jobs.push_back({submit, 1 + upto(nodes), runtime, limit});
  }
  return workload(jobs);
}

inline QueueSchedulerOptions fcfs() { return {}; }
inline QueueSchedulerOptions easy(std::size_t reservations = 1, std::size_t depth = EasyOptions::kUnlimited) {
  QueueSchedulerOptions o;
  o.backfill = Backfill::kEasy;
  o.easy = {reservations, depth};
  return o;
}
inline QueueSchedulerOptions conservative(CompressOrder order = CompressOrder::kQueue) {
  QueueSchedulerOptions o;
  o.backfill = Backfill::kConservative;
  o.compress = order;
  return o;
}

}  // namespace coslice::test

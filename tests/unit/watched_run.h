// A run in which something happens to machines or jobs, with all invariants watched.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine/machine_spec.h"
#include "machine/placement.h"
#include "observe/invariants.h"
#include "observe/recorder.h"
#include "run/simulation.h"
#include "schedule/queue_scheduler.h"

namespace coslice::test {

/// Whole seconds; limit 0: the run time.
inline Job job_of(std::int64_t id, int submit, int nodes, int runtime, int limit = 0) {
  Job job;
  job.id = id;
  job.submit = at_seconds(submit);
  job.size = nodes;
  job.runtime = whole_seconds(runtime);
  job.limit = whole_seconds(limit > 0 ? limit : runtime);
  return job;
}

/// The workload of a test; a result refers to it until the next one is made.
inline Workload& workload_of(const std::vector<Job>& jobs) {
  static Workload workload;
  workload = {};
  workload.jobs = jobs;
  return workload;
}

/// Equal nodes as a kind of nodes.
inline MachineSpec by_node(std::int32_t nodes) {
  MachineSpec machine{nodes};
  LayoutSpec layout;
  layout.kinds.push_back(equal_nodes(machine));
  set_layout(machine, make_layout(layout));
  return machine;
}

struct WatchedRun {
  RunResult result;
  std::vector<std::string> violations;

  /// Seconds; -1 for never.
  std::vector<double> starts() const { return times(&Outcome::start); }
  std::vector<double> ends() const { return times(&Outcome::end); }
  std::string nodes(JobIndex j) const { return result.archive.get(result.outcomes[j].nodes).str(); }

 private:
  std::vector<double> times(Time Outcome::*of) const {
    std::vector<double> all;
    for (const Outcome& o : result.outcomes) all.push_back(o.*of == kNever ? -1 : to_seconds(o.*of));
    return all;
  }
};

/// What a run may have beside its machine, workload and scheduler.
struct Happenings {
  EngineOptions engine{};
  const OutageOptions* outages = nullptr;
  const NodeReservations* reservations = nullptr;
  Placement* placement = nullptr;
  const PowerOptions* power = nullptr;
  std::vector<Observer*> watchers{};
};

inline WatchedRun run_watched(const MachineSpec& machine, const Workload& workload, Scheduler& scheduler,
                              const Happenings& h = {}) {
  SimulationResources resources{.requests = &workload.requests, .reservations = h.reservations, .power = h.power};
  if (h.placement != nullptr) resources.placements = {h.placement};
  Simulation simulation(machine, workload.jobs, scheduler, h.engine, resources, h.outages);
  Recorder recorder(workload, machine);
  InvariantOptions kept;
  kept.checkpoints = h.outages != nullptr && h.outages->checkpoints.interval > Duration{0};
  kept.nodes_reserved = h.reservations != nullptr;
  InvariantChecker invariants(machine, workload.jobs, h.engine, kept);
  std::optional<ReservationInvariants> reserved;
  std::optional<ResourceInvariants> of_resources;
  simulation.add(recorder);
  simulation.add(invariants);
  for (Observer* o : h.watchers) simulation.add(*o);
  if (h.reservations != nullptr)
    simulation.add(reserved.emplace(workload.jobs, *h.reservations, ReservationInvariants::Before::kLimits));
  if (machine.layout != nullptr && !workload.jobs.empty() && workload.jobs.front().request != kNoRequest)
    simulation.add(of_resources.emplace(machine, workload.jobs, workload.requests));
  simulation.run();
  invariants.finish();
  WatchedRun ran{recorder.take(), invariants.violations()};
  ran.result.power = simulation.take_power();
  if (h.reservations != nullptr) ran.result.reservations = *h.reservations;
  const auto add = [&](const std::vector<std::string>& more) {
    ran.violations.insert(ran.violations.end(), more.begin(), more.end());
  };
  if (reserved) add(reserved->violations());
  if (of_resources) add(of_resources->violations());
  return ran;
}

inline WatchedRun run_watched(const MachineSpec& machine, const Workload& workload, Backfill backfill,
                              const Happenings& h = {}) {
  QueueSchedulerOptions options;
  options.backfill = backfill;
  QueueScheduler scheduler(options);
  return run_watched(machine, workload, scheduler, h);
}

}  // namespace coslice::test

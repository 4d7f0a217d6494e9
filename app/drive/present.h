// The present state of a real machine as a simulation is begun with it. The jobs that have nodes enter it when they
// really started, and are given the nodes that they have; those that wait come all at the present instant.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "drive/decider.h"
#include "drive/live_machine.h"
#include "drive/queued_job.h"
#include "formats/trace_requests.h"
#include "jobs/workload.h"
#include "machine/machine_spec.h"
#include "machine/outage.h"

namespace coslice::drive {

struct Situation {
  const LiveMachine* machine = nullptr;
  std::vector<const QueuedJob*> running;  ///< all that have nodes
  std::vector<const QueuedJob*> waiting;  ///< those on which the policy decides
};

struct Present {
  MachineSpec machine;
  std::shared_ptr<const MachineLayout> layout;  ///< of the machine
  Workload workload;                            ///< the jobs run for as long as their limits let them
  std::vector<const QueuedJob*> jobs;           ///< by JobIndex
  std::vector<NodeRanges> nodes;                ///< by JobIndex: what it has; empty: it waits
  std::int64_t origin = 0;                      ///< the simulation's second 0, seconds since 1970
  Time now{};
  std::optional<OutageOptions> outages;  ///< of nodes on which nothing can be started
  std::vector<TypicalRequest> typical;   ///< what jobs typically ask for

  std::vector<std::pair<const QueuedJob*, std::string>> impossible;  ///< waiting jobs that can never run, and why
  std::vector<std::string> problems;                                 ///< what could not be taken into account, in words

  /// Returns the jobs that wait, in order of submission.
  std::vector<JobIndex> waiting() const;
};

/// Returns the situation as a simulation has it. Numbers of new names are added to `decider`.
Present present_of(Decider& decider, const Situation& now);

}  // namespace coslice::drive

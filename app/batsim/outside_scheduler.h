// A scheduler outside of the program decides, which speaks Batsim's protocol. It stands where the policy of a run
// would, and what it decides is done by the primitives of the view.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "batsim/messages.h"
#include "batsim/request_socket.h"
#include "runner/runner.h"

namespace coslice::batsim {

/// Where the scheduler is.
struct SchedulerOptions {
  std::string given;      ///< a command, or an endpoint at which one waits: tcp://... or ipc://...
  double timeout = 60;    ///< for each answer, and until it listens, s
  std::string config{};   ///< a text that it is handed when the run begins (sched-config)
  bool profiles = false;  ///< it is told one with each job
  WhileWaiting check{};   ///< called while it decides; what it throws ends the run

  bool is_endpoint() const;
  /// Returns what tables and files call it: the name of its program; "scheduler" at an endpoint.
  std::string name() const;
};

/// Returns the policy that stands for the scheduler, with a script of a line that says what it is.
GivenPolicy policy_of(const SchedulerOptions& options);

/// Simulates the i-th policy of the runner, which is policy_of(): starts the scheduler, lets it decide, and sees that
/// it is gone in the end. `callbacks` are as for Runner::run; their `between` is set here. Throws InputError where the
/// scheduler does what it may not do, and what Runner::run throws.
PolicyRun simulate(const Runner& runner, std::size_t i, const SchedulerOptions& options, RunCallbacks callbacks);

}  // namespace coslice::batsim

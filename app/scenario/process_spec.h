// What jobs' processes do, as the scenario says it: [processes].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/value.h"
#include "process/process_simulation.h"
#include "process/program.h"

namespace coslice {

/// One of [[processes.programs]].
struct ProgramSpec {
  std::string name;
  Pattern pattern = Pattern::kRing;
  std::vector<Duration> compute = {Duration{1'000'000}}, polling;
  std::int32_t each = 1;  ///< ranks in a row with the same load
  CommunicationCost communication;
  double jitter = Program{}.jitter;
  Duration slot_refill{0}, dispatch_refill{0}, monitoring{0};
  std::int64_t memory_kb = 0;
  double weight = 1;  ///< for jobs that name no program

  Program program() const;
};

struct ProcessesSpec {
  ProcessPath path = ProcessPath::kClosed;
  double tolerance = ProcessSimulationOptions{}.tolerance;
  std::vector<ProgramSpec> programs;
  std::string script;             ///< path of a Lua file that gives each job its program
  Value params = Value::table();  ///< for the script
};

}  // namespace coslice

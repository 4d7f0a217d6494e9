// What jobs' processes do, as the scenario says it: [processes].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/value.h"
#include "process/process_simulation.h"
#include "process/program.h"

namespace coslice {

struct ProcessesSpec {
  ProcessPath path = ProcessPath::kClosed;
  double tolerance = ProcessSimulationOptions{}.tolerance;
  std::vector<ProgramSpec> programs;
  std::string script;             ///< path of a Lua file that gives each job its program
  Value params = Value::table();  ///< for the script
};

}  // namespace coslice

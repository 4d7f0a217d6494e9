// What jobs ask of a heterogeneous machine, in words and tables, and as JSON.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "machine/layout.h"
#include "metrics/machine_summary.h"

namespace coslice::cli {

/// For people.
std::string demand_text(const MachineDemand& d, const MachineLayout& layout, bool colour);
nlohmann::ordered_json demand_json(const MachineDemand& d, const MachineLayout& layout);

}  // namespace coslice::cli

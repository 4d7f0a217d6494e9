// The description of a workload in words and tables, and as JSON.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "jobs/workload_description.h"
#include "machine/layout.h"
#include "metrics/machine_summary.h"
#include "runner/site_names.h"

namespace coslice::cli {

/// Returns the description of a workload for people; `origin` says where the machine's size comes from, `names` what
/// the site calls what jobs have as numbers.
std::string workload_text(const WorkloadDescription& d, const std::string& origin, const SiteNames& names, bool colour);
nlohmann::ordered_json workload_json(const WorkloadDescription& d);

// What jobs ask of a heterogeneous machine, in words and tables, and as JSON.

/// For people.
std::string demand_text(const MachineDemand& d, const MachineLayout& layout, bool colour);
nlohmann::ordered_json demand_json(const MachineDemand& d, const MachineLayout& layout);

}  // namespace coslice::cli

// How near a simulation came to records, as people and programs read it.
#pragma once

#include <string>

#include "lab/compare/fidelity.h"
#include "report/charts/chart.h"

namespace coslice {

/// Tables of distances and of groups of jobs, and below them what they mean.
std::string fidelity_text(const Fidelity& fidelity, bool colour);
/// {"distances": [...], "among_records": {...}, "to_median": {...}, "groups": [...]}.
std::string fidelity_json(const Fidelity& fidelity);
/// Processors in use over time, simulated and recorded. REQUIRES: fidelity.use is not empty.
Chart fidelity_chart(const Fidelity& fidelity);

}  // namespace coslice

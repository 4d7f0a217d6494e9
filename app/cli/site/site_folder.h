// A site: the folder that `coslice import` wrote, or a scenario.
#pragma once

#include <string>
#include <vector>

#include "core/random.h"
#include "core/value.h"
#include "formats/recorded.h"
#include "lab/forecast/forecast_text.h"
#include "scenario/scenario.h"

namespace coslice::cli {

/// Returns the scenario of a site: that in the folder, or the file itself. Throws InputError.
std::string site_scenario(const std::string& site);

/// Applies one `--set KEY=VALUE` to a site's tree, where a parameter of its policy is also known by its own name
/// ("bf_interval=60"), and kinds of nodes, partitions and licences without "machine." ("nodes.gpu.count=4"). A kind
/// whose nodes have names gets or loses some by its count, and what names nodes follows (changed_nodes.h). Returns in
/// sentences what has changed by that. Throws InputError.
std::vector<std::string> apply_site_override(Value& tree, const std::string& assignment, const std::string& label = "");

/// Draws other phases for the cycles of the site's daemon, which are on no record: when it came up (where its policy
/// has the parameter slurmctld_start) and when limits are looked at.
void vary_phases(Scenario& scenario, RandomStream& random);

// Instants and names of a site's record on the command line.

/// Seconds of the trace, or a date by its calendar. Throws InputError that names the flag.
Time instant_of(const std::string& flag, const std::string& text, const TraceHeader& header);

/// What the site calls the jobs of `workload`, which are some of the trace's.
ForecastNames names_of_jobs(const Workload& workload, const RecordedWorkload& trace);

}  // namespace coslice::cli

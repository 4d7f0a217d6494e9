// The slowdowns that a scenario asks for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jobs/slowdown.h"
#include "jobs/workload.h"
#include "scenario/jobs/measured_table.h"
#include "scenario/scenario.h"

namespace coslice {

// Slowdowns by application in a TOML file: docs/formats.md says what stands in it.

/// What the file says; what it leaves out comes from its defaults.
struct SlowdownTableFile {
  struct Application {
    SlowdownTable::Application slowdowns;  ///< `beside` by the numbers of the applications, then the last one
    double share = 0;                      ///< where applications are drawn; they need not add up to 1
    std::vector<std::int64_t> numbers;     ///< of the jobs that run it
  };
  std::string path;
  /// The last one has no name: the defaults, for jobs of no application. It is never drawn.
  std::vector<Application> applications;
  std::optional<MeasuredFactors> measured;  ///< by the numbers of the applications
};

/// Reads and checks the file. Throws InputError.
SlowdownTableFile read_slowdown_table(const std::string& path);

/// What the file says of measurements; nothing where it has none. Throws InputError.
std::optional<MeasuredSpec> measured_of_table(const std::string& path);
/// The files of measurements that the file names; none where it cannot be read.
std::vector<std::string> measurements_of_table(const std::string& path);

/// The model for the jobs: which application each runs, by its name, by a number of theirs or drawn with the run's
/// seed. `gpu_types` are the machine's. Counts in `unknown` the jobs of no application. Throws InputError.
std::unique_ptr<SlowdownModel> table_slowdowns(const SlowdownTableFile& file, const SlowdownSpec& spec,
                                               std::uint64_t seed, const Workload& workload,
                                               const std::vector<std::string>& gpu_types, std::int64_t& unknown);

/// The model for the jobs of the workload, which outlives it; null where the scenario has none. `profiles`: what jobs
/// use, where the workload's source says it. Counts in `unknown` the jobs that a table or file does not know. Throws
/// InputError.
std::unique_ptr<SlowdownModel> make_slowdowns(const Scenario& scenario, const Workload& workload,
                                              const ResourceProfiles& profiles, std::int64_t& unknown);

/// Fits sizes to the scenario's machine, by its settings and seed. Precondition: sizes = "adjusted" and a model for
/// these jobs.
void adjust_to_machine(const Scenario& scenario, const SlowdownModel& model, Workload& workload);

}  // namespace coslice

// Slowdowns by application in a TOML file: docs/formats.md says what stands in it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scenario/scenario.h"
#include "workload/slowdown.h"
#include "workload/workload.h"

namespace coslice {

/// What the file says; what it leaves out comes from its defaults.
struct SlowdownTableFile {
  struct Application {
    SlowdownTable::Application slowdowns;  ///< `beside` by the numbers of the applications, then the last one
    double share = 0;                      ///< where applications are drawn; they need not add up to 1
    std::vector<std::int64_t> numbers;     ///< of the jobs that run it
  };
  /// The last one has no name: the defaults, for jobs of no application. It is never drawn.
  std::vector<Application> applications;
};

/// Reads and checks the file. Throws InputError.
SlowdownTableFile read_slowdown_table(const std::string& path);

/// The model for the jobs: which application each runs, by a number of theirs or drawn with the run's seed. Counts in
/// `unknown` the jobs of no application.
std::unique_ptr<SlowdownModel> table_slowdowns(const SlowdownTableFile& file, const std::string& by, std::uint64_t seed,
                                               const Workload& workload, std::int64_t& unknown);

}  // namespace coslice

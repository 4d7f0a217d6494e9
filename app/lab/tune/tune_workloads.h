// On which workloads settings are tried: seeds of what is drawn, windows of a log.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/time.h"
#include "core/value.h"
#include "jobs/workload.h"
#include "lab/compare/statistics.h"

namespace coslice {

/// Workloads of the search, and behind them those that judge.
struct TuneWorkloads {
  Unit unit = Unit::kSeed;
  std::vector<std::int64_t> seeds;                 ///< of kSeed
  std::vector<std::array<Duration, 2>> windows{};  ///< of kWindow: of submissions
  std::size_t search = 0;                          ///< how many are the search's

  std::size_t size() const { return unit == Unit::kWindow ? windows.size() : seeds.size(); }
  /// Returns the workload in words: "seed 4", "window [604800, 1209600]".
  std::string text(std::size_t i) const;
  /// Makes the scenario's workload this one.
  void apply(Value& tree, std::size_t i) const;
};

/// Returns seeds: those of the search from `first` on, and others that judge.
TuneWorkloads seeds_to_tune(std::int64_t first, std::size_t search, std::size_t judging);

/// Cuts a log into weeks; if it has fewer than 24, into 12 to 24 parts of about 100 jobs. Parts with fewer than 50 jobs
/// are left out. In an order that is drawn the last of them judge: at most a third, or six of 12 or more. Parts are
/// whole: jobs that follow from one another stay together. Precondition: the workload has jobs.
TuneWorkloads windows_to_tune(const Workload& workload, std::size_t judging, std::uint64_t seed);

}  // namespace coslice

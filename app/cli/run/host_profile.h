// coslice run --profile: where the host's time and memory went.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "scenario/run/runner.h"

namespace coslice::cli {

/// A stop watch for the phases of a run; each of the calls ends the phase that is named.
class Profile {
 public:
  void loaded(const Runner& runner);
  void simulated(const PolicyRun& run);
  void written();
  /// Notes that the simulation ended by an error or an interruption, after this many of its jobs.
  void ended_early(const PolicyRun& run, std::size_t done);

  /// Returns how long the last simulation took, in seconds.
  double last_seconds() const { return runs_.back().seconds; }
  std::string text() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Run {
    std::string policy;
    double seconds, lua_seconds;
    std::uint64_t events, passes;
    std::vector<std::pair<std::string, double>> calls;
    std::optional<std::size_t> ended_after{};  ///< jobs, if it did not come to its end
  };
  std::string text_of(const Run& run) const;
  /// Returns seconds since the last call.
  double lap();

  Clock::time_point last_ = Clock::now();
  double load_ = 0, write_ = 0;
  std::size_t jobs_ = 0;
  std::vector<Run> runs_;
};

}  // namespace coslice::cli

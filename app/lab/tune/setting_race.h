// The search for the best setting: settings race on the same workloads, and a guess at those that were not tried says
// which ones join.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "lab/tune/trials.h"

namespace coslice {

struct RaceOptions {
  std::size_t workloads = 1;   ///< of the search
  std::int64_t budget = 200;   ///< runs, today's among them
  std::size_t first_test = 2;  ///< workloads that each setting is run on at first
  double level = 0.95;         ///< at which a setting drops out; corrected for how many are tested at once (Holm 1979)
  std::uint64_t seed = 1;
  bool front = false;   ///< of several goals: each round weighs them otherwise
  bool spread = false;  ///< neighbours begin on other workloads, as these differ in kind and not by chance alone
  std::function<bool()> time_is_over{};  ///< absent: never
  /// Told after each round: the best setting so far, and how many are left.
  std::function<void(std::size_t best, std::size_t left)> told{};
};

/// What the search found.
struct RaceOutcome {
  std::size_t best = 0;              ///< a number in the trials; 0: none is better than today's
  std::vector<std::size_t> dropped;  ///< worse than others beyond chance, like others, or such as break a guard
  std::int64_t rounds = 0;
};

/// Searches. At first settings fill the space evenly (Sobol's sequence), each on a few workloads.
/// Then rounds follow: the settings that are expected to improve most join (expected improvement of a Gaussian
/// process), and those that may be the best are run on more workloads; the last two fifths of the runs are for these
/// alone. What is worse than the best one beyond chance, or breaks a guard, drops out. The best one is that of the
/// lowest guess.
RaceOutcome race_settings(const std::vector<TunedParam>& params, Trials& trials, const RaceOptions& options);

/// Returns which of the settings are worse than the first one beyond chance, in pairs on the workloads that both were
/// run on, the first 3, 6, 12, ... of them: one-sided t-tests at 1 - level in all (Holm). Those that are like it on all
/// of these are among them.
std::vector<std::size_t> worse_than_the_best(const std::vector<std::size_t>& settings, const Trials& trials,
                                             double level);

}  // namespace coslice

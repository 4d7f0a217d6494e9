// The search for the best setting: iterated racing, as in irace (Lopez-Ibanez, Dubois-Lacoste, Perez Caceres, Birattari
// and Stuetzle, "The irace package", Operations Research Perspectives 3, 2016), with paired t-tests.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "lab/tune/trials.h"

namespace coslice {

struct RaceOptions {
  std::size_t workloads = 1;   ///< of the search
  std::int64_t budget = 200;   ///< runs, today's among them
  std::size_t first_test = 3;  ///< workloads that each setting is run on before any can drop out
  double level = 0.95;         ///< at which a setting drops out; corrected for how many are tested at once (Holm 1979)
  std::uint64_t seed = 1;
  bool front = false;                    ///< of several goals: each iteration weighs them otherwise
  std::function<bool()> time_is_over{};  ///< absent: never
  /// Told after each workload of a race: the best setting so far, and how many are left.
  std::function<void(std::size_t best, std::size_t left)> told{};
};

/// What the search found.
struct RaceOutcome {
  std::size_t best = 0;              ///< a number in the trials; 0: none is better than today's
  std::vector<std::size_t> last;     ///< that were left at the end, the best first
  std::vector<std::size_t> dropped;  ///< worse than others beyond chance
  std::int64_t iterations = 0;
};

/// Searches. In the first iteration settings fill the space evenly (Sobol's sequence); later ones lie about those that
/// were left, ever closer. In each iteration all settings run on one workload after the other, the same for all, and
/// those drop out that are worse than the best one beyond chance, or break a guard; and each time that the number of
/// workloads has doubled, the better half alone goes on (successive halving).
RaceOutcome iterated_race(const std::vector<TunedParam>& params, Trials& trials, const RaceOptions& options);

/// Returns which of the settings are worse than the best of them beyond chance by their costs on the first `count`
/// workloads, in pairs: one-sided t-tests at 1 - level in all (Holm). Of settings that are alike on all of these, all
/// but the first are among them. Precondition: each was run on these.
std::vector<std::size_t> worse_than_the_best(const std::vector<std::size_t>& settings, const Trials& trials,
                                             std::size_t count, double level);

}  // namespace coslice

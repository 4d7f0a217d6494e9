// Which values of a policy's parameters are best for a workload, and how sure that is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/compare/compare.h"
#include "lab/tune/search_space.h"
#include "lab/tune/setting_race.h"
#include "lab/tune/trials.h"

namespace coslice {

struct TuneOptions {
  RaceOptions race;
  std::size_t held_out = 10;  ///< workloads that the search does not see, behind those of the search; 0: there are none
  std::size_t put_back = 10;  ///< of these, workloads on which single parameters are put back; 0: that is not tried
  std::int64_t most_runs = 1'000'000'000;  ///< in all; single parameters are put back as far as there are runs left
  Unit unit = Unit::kSeed;                 ///< what a workload is
  double level = 0.95;                     ///< of the intervals of the answer
  std::vector<std::int64_t> numbers{};     ///< of the workloads, as tables name them (seeds); empty: from 0 on
  Setting defaults{};  ///< the policy's own; judged beside the best one, unless it is today's; empty: not
  /// Told before each step of the judgement: how many runs it has in all.
  std::function<void(std::int64_t runs)> judges{};
};

/// What is lost where one parameter of the best setting has today's value again. Where no other differs that is what
/// the judged change is, the other way round.
struct PutBack {
  std::size_t param = 0;
  std::optional<double> relative;    ///< of the goal, as a part of the best one's; nothing if a run failed
  std::optional<Interval> interval;  ///< of it
};

/// Another setting that is judged, and the change of the goal from one to the other on the same workloads.
struct JudgedBeside {
  std::size_t setting = 0;  ///< in the trials
  std::optional<double> change;
  std::optional<Interval> interval;
};

/// A guard, judged.
struct GuardAnswer {
  TunedFigure figure;
  double worse = 0;  ///< as a part of today's; below 0: it is better
  bool kept = true;
  bool has_jobs = true;  ///< the workloads that judge have jobs of it
};

/// A setting of the search.
struct TriedSetting {
  std::size_t number = 0;  ///< in the trials
  std::size_t workloads = 0;
  double change = 0;  ///< of the goal, as a part of today's on the same workloads; below 0 is good; infinite: it failed
  bool dropped = false;
};

struct TuneAnswer {
  std::size_t best = 0;  ///< what the search found; 0: today's
  /// What is judged: kBetter only where the best setting is better beyond chance on workloads that the search has not
  /// seen and keeps the guards there. kSame: nothing else was found, or all runs are alike. kNone: there were no such
  /// workloads.
  CompareVerdict verdict = CompareVerdict::kSame;
  std::optional<double> change;      ///< of the goal, as a part of today's, over the workloads that judge
  std::optional<Interval> interval;  ///< of it
  VariantComparison comparison;      ///< today's setting and the best one there; no variants where nothing was found
  std::vector<PutBack> put_back;     ///< of parameters in which the two differ
  std::vector<GuardAnswer> guards;
  std::vector<TriedSetting> tried;  ///< today's aside; those that ran longest first, the best of them
  /// The best one, as a part of the policy's defaults.
  std::optional<JudgedBeside> defaults;
  /// What would be best without the guards, by the search, as a part of the best one.
  std::optional<JudgedBeside> unguarded;
  /// Guards that settings break which look better than today's, where the best one is that; `worse`: the least.
  std::vector<GuardAnswer> barred;
  std::vector<std::size_t> front;  ///< of several goals: those that no other is better than in all, by the search
  std::int64_t runs = 0, rounds = 0;
  std::size_t search = 0, held_out = 0;  ///< workloads of each that were used
};

/// Searches and judges. Workloads [0, options.race.workloads) are the search's, those behind judge. Throws InputError
/// and SimulationError as Trials::run.
TuneAnswer tune(const std::vector<TunedParam>& params, Trials& trials, const TuneOptions& options);

}  // namespace coslice

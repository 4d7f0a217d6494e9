// What forecasts at earlier instants said, compared with what is known by now: by as much as those were wrong, one of
// now is corrected. This is conformal prediction of quantiles (Romano, Patterson & Candes 2019): whatever the model
// leaves out is in there, as long as it goes on as it did. Forecasts of about the same span count most (Guan 2023), and
// jobs that still wait count for what they have waited (Kaplan & Meier 1958). The more often waits fit into the
// history, the more of a correction is made; and of that as much as would have made the earlier forecasts better, each
// corrected by those before it.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/time.h"
#include "lab/forecast/known_jobs.h"

namespace coslice {

/// When a job will start: quantiles, in the order of quantile_levels.
struct StartQuantiles {
  JobIndex job = kNoJob;
  std::vector<Time> at;
};

/// What the simulations of one instant said.
struct PastForecast {
  Time now{};
  std::vector<StartQuantiles> jobs;
};

/// Returns which quantiles are kept for an interval of that share: its lower end, the median, its upper end; then every
/// 5 %.
std::vector<double> quantile_levels(double share);

/// Returns quantiles of starts, which are in any order; the quantile p stands among n of them such that another one is
/// below it with that probability.
std::vector<Time> start_quantiles(std::vector<Time> starts, const std::vector<double>& levels);

/// Returns what was known earlier, by what is known at a later instant. Jobs that are held now are left out.
MachineState state_before(const MachineState& known, Time then, const Workload& workload);

/// Returns so many instants before that of `known`, evenly since jobs came, but for `memory` at most. None where no
/// ended job has a start after its submission: such a history says nothing of waits.
std::vector<Time> instants_before(const MachineState& known, const Workload& workload, std::size_t count,
                                  Duration memory);

/// Returns how far a forecast of `then` is worth being simulated, `most` at most: what it says is compared with what
/// has happened by `known`, and a start three times as far away as the last that is known is as wrong as it gets.
Duration horizon_before(const MachineState& then, const MachineState& known, Duration most);

/// Returns the forecast with starts beyond that horizon as if they were there: they are too late by that at least.
PastForecast within_horizon(PastForecast said, Duration horizon);

/// Returns whether forecasts at these instants could correct one: where jobs have waited for as long as the history is,
/// they cannot, whatever they say.
bool may_correct(const std::vector<MachineState>& then, const MachineState& known);

/// By what spans until starts are multiplied.
class Correction {
 public:
  /// Learns a correction from past forecasts. `known`: which of those jobs have started by now.
  Correction(const std::vector<PastForecast>& past, const MachineState& known, std::vector<double> levels);
  /// Corrects the quantiles of one job of a forecast at `now`.
  void apply(Time now, std::vector<Time>& at);
  /// Returns the number of past instants at which jobs waited; 0 where the forecast is not corrected.
  std::size_t instants() const { return trust_ > 0 ? instants_ : 0; }

 private:
  struct Score {
    double off;    ///< logarithm of the span that it was by the one that was said
    double place;  ///< logarithm of the median that was said
    bool started;
  };
  Correction() = default;
  void add_scores(const std::vector<PastForecast>& past, std::size_t count, const MachineState& known, Time now);
  double part_that_helps(const std::vector<PastForecast>& past, const MachineState& known) const;
  double log_factor(std::size_t level, double place) const;
  double log_factor_near(std::size_t level, int step);

  std::vector<double> levels_;
  std::vector<std::vector<Score>> scores_;  ///< by level, ascending
  std::map<std::pair<std::size_t, int>, double> log_factors_;
  std::size_t instants_ = 0;
  double trust_ =
      /// part of a correction that is made: none where jobs wait as long as the history, whose instants see the same
      /// ones, or where it made none better
      0;
};

}  // namespace coslice

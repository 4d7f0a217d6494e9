// A drive whose policy is chosen anew every so many seconds: the queue is forecast under each of several policies, with
// the same draws of run times (Streit's dynP, "A self-tuning job scheduler family with dynamic policy switching", JSSPP
// 2002, plans under each policy and takes the best plan; here it must be better beyond chance).
//
// A policy begins anew at each decision, as drive has it (present_simulation.h), so a change needs nothing else: what
// the one before had promised is void, and the new one sees the machine as it is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "drive/decider.h"
#include "drive/drawn_run_times.h"
#include "drive/policy_choice.h"
#include "drive/present.h"
#include "drive/present_simulation.h"
#include "drive/queue_figure.h"

namespace coslice::drive {

struct ChooserOptions {
  std::int64_t every = 300;     ///< seconds between two choices, on the controller's clock
  std::string figure = "wait";  ///< as QueueFigure has it; small is good
  std::int64_t draws = 40;      ///< of run times; where `least_draws` are fewer, as many as the budget lets be
  std::int64_t least_draws = 8;
  double budget = 1e6;  ///< of all forecasts of a choice together, in microseconds (WorkMeter)
  Duration horizon = whole_seconds(7 * 86400);
  double level = 0.95;  ///< how often all intervals of a choice are to hold
  std::uint64_t seed = 1;
  int workers = 1;  ///< threads
};

/// A choice, and what it was made from.
struct QueueChoice {
  std::int64_t at = 0;                 ///< the controller's time, seconds since 1970
  std::size_t waiting = 0, draws = 0;  ///< jobs; without jobs nothing is forecast, and the policy stays
  std::size_t compared = 0;            ///< draws in which a job that waits is of the figure's class
  Duration horizon{0};                 ///< how far ahead starts were looked for
  bool class_is_empty = false;         ///< no job that waits is of the figure's class, in any draw
  bool cut = false;                    ///< the budget was used up before the horizon that was wanted
  bool unstarted = false;              ///< some job did not start within the horizon, and counts as if it did then
  bool too_short = false;              ///< it was less far than the choice is to hold: nothing is changed for that
  double work = 0;                     ///< that the forecasts took
  std::vector<PolicyForecasts> forecasts;
  PolicyChoice choice;
};

class PolicyChooser {
 public:
  /// Begins with the first of them. `told` gets each choice. `stop` is asked all the while and may throw. Throws
  /// InputError for a figure that there is not.
  PolicyChooser(std::vector<Decider> deciders, ChooserOptions options, std::function<void(const QueueChoice&)> told,
                std::function<void()> stop);

  /// Returns the name of the policy that decides.
  const std::string& name() const { return deciders_[present_].name; }
  const QueueFigure& figure() const { return figure_; }
  /// Lets run times be drawn from what this record says of ended jobs, instead of that of the site.
  void draw_from(const RecordedWorkload& record);
  /// Chooses if it is time to, then asks the policy that is chosen. One that fails is left out from then on, with its
  /// message in the choice. Throws SimulationError if all have failed.
  Decision decide(const Situation& now);

 private:
  void choose(const Situation& now);
  std::vector<std::size_t> those_left() const;
  std::string all_failed() const;

  std::vector<Decider> deciders_;
  ChooserOptions options_;
  QueueFigure figure_;
  std::function<void(const QueueChoice&)> told_;
  std::function<void()> stop_;
  RunTimeHistory history_;
  std::vector<std::string> errors_;  ///< beside the policies; "": it has not failed
  std::size_t present_ = 0;
  std::optional<std::int64_t> last_;  ///< when it was chosen last
};

}  // namespace coslice::drive

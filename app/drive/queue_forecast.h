// What becomes of the jobs that wait now, if a policy decides on them and jobs run for certain times. Jobs that may
// come later are not known, and none come.
#pragma once

#include <functional>
#include <vector>

#include "core/time.h"
#include "drive/decider.h"
#include "drive/present.h"

namespace coslice::drive {

/// How far a forecast looks.
struct ForecastBounds {
  Time last = kNever;    ///< starts after that are not looked for
  double most_work = 0;  ///< where a simulation has taken so much (WorkMeter), it ends; 0: however much
  /// Where what is looked at has taken so much, it is given up, also within a pass; 0: however much.
  double most_in_pass = 0;
};

struct QueueForecast {
  std::vector<Time> starts{};     ///< beside Present::waiting(); kNever: it was not seen to start
  std::vector<double> work_at{};  ///< what had been taken when it started
  Time reached = kNever;          ///< where most_work was used up; kNever: it was not
  double work = 0;                ///< what it took
  bool too_long = false;          ///< one pass took more than most_in_pass: it is given up, and says nothing

  /// Returns what it takes to look as far as that.
  double work_until(Time last) const;
};

/// Returns the forecast. `run_times` by JobIndex. `stop` is asked all the while and may throw. Throws SimulationError
/// if the policy raises an error or does not come to an end.
QueueForecast forecast_queue(const Decider& decider, const Present& present, const std::vector<Duration>& run_times,
                             const ForecastBounds& bounds, const std::function<void()>& stop);

}  // namespace coslice::drive

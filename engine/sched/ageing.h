// Priorities that grow with waiting, so that no job waits for ever behind a stream of more urgent jobs.
#pragma once

#include <limits>
#include <vector>

#include "sched/view.h"

namespace coslice {

/// A waiting job's key becomes the one that it came with, less 1 for each full step that it has waited, but never less than
/// `least`, nor more than it came with.
class Ageing {
 public:
  /// Sorts the queue of the view by keys of now. Positions change. `step` is above 0.
  void apply(View& view, Duration step, double least = -std::numeric_limits<double>::infinity());

 private:
  std::vector<double> came_with_;  ///< by JobIndex
  std::vector<Time> came_;         ///< by JobIndex; kNever: not seen yet
};

}  // namespace coslice

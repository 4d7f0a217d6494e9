// Slowdowns that a test computes.
#pragma once

#include <functional>

#include "jobs/slowdown.h"

namespace coslice {

/// Slowdowns that are computed elsewhere.
class AskedSlowdowns : public SlowdownModel {
 public:
  std::function<double(JobIndex)> ask_over_processors, ask_over_cores;
  std::function<double(JobIndex, JobIndex)> ask_beside;
  double over_processors(JobIndex j) const override { return ask_over_processors(j); }
  double over_cores(JobIndex j) const override { return ask_over_cores(j); }
  double beside(JobIndex j, JobIndex other) const override { return ask_beside(j, other); }
};

}  // namespace coslice

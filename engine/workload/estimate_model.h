// What users ask for: a model of run-time estimates in the spirit of Tsafrir, Etsion & Feitelson 2005, "Modeling user
// runtime estimates". What it keeps of that study: nearly all estimates are one of about twenty round values, the
// longest one that is allowed is the most popular, the popularity of the others falls exponentially with their rank,
// a thin tail takes other multiples of minutes and hours, no estimate is below the run time. The ranks and weights
// are ours: a fair picture, not a fit to one log.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.h"
#include "workload/job.h"

namespace coslice {

/// Draws an estimate for a job from (seed, job id), whatever the order of asking.
class EstimateModel {
 public:
  /// `longest` is the largest estimate the machine allows; jobs that ran longer get their run time, rounded up to
  /// whole hours. At least a second.
  EstimateModel(std::uint64_t seed, Duration longest);

  /// At least the job's run time.
  Duration draw(const Job& job) const;

  /// A plausible limit of a machine whose longest run time is this: 1 h, 2 h, 4 h, ... 10 d, else whole days.
  static Duration limit_above(Duration longest_runtime);

 private:
  struct Popular {
    Duration value;
    double weight;
  };
  Duration draw_popular(Duration runtime, double u) const;
  Duration draw_tail(Duration runtime, double u) const;

  RandomKey key_;
  Duration longest_;
  std::vector<Popular> popular_;  // by falling value; weight is the sum of those of this and all longer values
};

}  // namespace coslice

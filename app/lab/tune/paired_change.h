// By how much a mean changes between two settings that ran on the same workloads, and how sure that is.
#pragma once

#include <optional>
#include <vector>

#include "lab/compare/statistics.h"

namespace coslice {

struct PairedChange {
  double change = 0;                 ///< of the mean, as a part of the first one's; -0.1 is 10 % less
  std::optional<Interval> interval;  ///< of it; nothing where nobody knows what is chance
};

/// Returns the change of the mean from `before` to `after`, of which each pair is of one workload. Workloads differ
/// more in their costs than settings do, so it is the ratio of the two means, whose deviation (by leaving out each pair
/// in turn; Cochran, Sampling Techniques, 1977, chapter 6) is only of how far the workloads' ratios differ. How often
/// chance gives as much is counted: where two settings are alike, each pair may as well stand the other way round. The
/// interval is as wide as the ratios of all such exchanges ask for, and as Student's t does. Of fewer than six pairs
/// (at 95 %) no exchange is beyond chance, and costs that are not all of one sign, or are zero, have no ratio: then it
/// is the mean difference, as difference_of has it. Precondition: as many of both, finite.
PairedChange change_of(const std::vector<double>& before, const std::vector<double>& after, Unit unit, double level);

}  // namespace coslice

// Figures of samples: what is known of a mean from a few independent runs.
#pragma once

#include <optional>
#include <vector>

namespace coslice {

/// 0 for no values.
double mean(const std::vector<double>& values);

/// The standard deviation of a sample (divided by n - 1); 0 for fewer than two values.
double deviation(const std::vector<double>& values);

struct Interval {
  double low = 0, high = 0;
};

/// The confidence interval of the mean of independent values of about normal distribution, by Student's t; nothing for
/// fewer than two values. Means over seeds are such values; differences or ratios of two policies on the same seeds
/// are, too, and their interval is much narrower than what the intervals of the two would make one believe.
std::optional<Interval> confidence_interval(const std::vector<double>& values, double level = 0.95);

}  // namespace coslice

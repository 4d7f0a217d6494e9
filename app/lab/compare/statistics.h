// Figures of samples: what is known of a mean from a few independent runs, and from one run alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace coslice {

/// Returns the mean; 0 for no values.
double mean(const std::vector<double>& values);

/// Returns the standard deviation of a sample (divided by n - 1); 0 for fewer than two values.
double deviation(const std::vector<double>& values);

struct Interval {
  double low = 0, high = 0;
};

/// Returns the quantile of Student's t for an interval of this level with this many degrees of freedom: 2.262 for 0.95
/// and 9. Precondition: 0 < level < 1, freedom > 0.
double student_quantile(double level, double freedom);

/// Returns the confidence interval of the mean of independent values of about normal distribution, by Student's t;
/// nothing for fewer than two values. Means over seeds are such values; differences or ratios of two policies on the
/// same seeds are, too, and their interval is much narrower than what the intervals of the two would make one believe.
std::optional<Interval> confidence_interval(const std::vector<double>& values, double level = 0.95);

/// Returns with how many independent values like these the confidence interval of the mean would exclude 0, at least as
/// many as there are; nothing if `most` would not do.
std::optional<std::int64_t> values_needed(const std::vector<double>& values, double level, std::int64_t most);

/// Returns the confidence interval of mean(b) - mean(a), two independent samples of different deviation (Welch 1947,
/// with the degrees of freedom of Satterthwaite 1946); nothing if one of them has fewer than two values.
std::optional<Interval> difference_interval(const std::vector<double>& a, const std::vector<double>& b,
                                            double level = 0.95);

/// What a series of dependent values, such as the waits of the jobs of one run in their order, says of its mean.
struct BatchMeans {
  std::size_t batches = 0;  ///< 0: too few values for any
  double correlation = 0;   ///< of the means of neighbouring batches
  std::optional<Interval> interval;
};

inline constexpr std::size_t kShortestBatch = 10, kFewestInBatches = 5 * kShortestBatch;

/// Cuts the series into 20 batches of about equal length (of at least 10 values, else fewer batches, at least 5; no
/// interval of fewer than kFewestInBatches values) and takes their means for independent values (Law & Kelton,
/// Simulation Modeling and Analysis, Section 9.5.3). What correlation is left between neighbours widens the interval by
/// sqrt((1 + r) / (1 - r)), as for a series in which each value depends on the one before alone.
BatchMeans batch_means(const std::vector<double>& series, double level = 0.95);

}  // namespace coslice

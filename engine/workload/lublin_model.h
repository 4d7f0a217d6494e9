// The parts of the Lublin-Feitelson model that its generator and its closed forms share.
#pragma once

#include <array>
#include <vector>

#include "workload/lublin.h"

namespace coslice::lublin {

inline constexpr double kLongestLogRuntime = 12;  ///< ln s; longer ones are drawn again
inline constexpr double kLongestLogGap = 13;
inline constexpr int kBuckets = 48;  ///< half hours of the day
inline constexpr double kBucketSeconds = 1800;

/// Share of the arrivals per half hour of the day, scaled to a mean of 1.
std::array<double, kBuckets> daily_weights(const LublinParameters& p);

/// P(size = n) for n = 0 ... nodes (0 has none).
std::vector<double> size_distribution(const LublinParameters& p, int nodes);

/// P(ln(run time) comes from the first gamma).
double first_gamma_share(const LublinParameters& p, int size);

/// E[run time | size], in seconds.
double mean_runtime(const LublinParameters& p, int size);

/// E[gap] in seconds for a shape of the arrival gamma; rises with the shape.
double mean_gap(const LublinParameters& p, double shape);

/// E[run time x size], in node-seconds.
double mean_work(const LublinParameters& p, int nodes);

/// The largest whole exponent of two that fits the machine.
int largest_exponent(int nodes);

}  // namespace coslice::lublin

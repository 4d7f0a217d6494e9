#include "workload/slowdown.h"

#include <algorithm>

namespace coslice {

//                                                              .9   1.0  1.1  1.2  1.3  1.4  1.5  1.6  1.7
const DrawnSlowdowns::Histogram DrawnSlowdowns::kOverCores = {0, .25, .17, .17, .13, .17, .08, .03, 0};
const DrawnSlowdowns::Histogram DrawnSlowdowns::kOverProcessors = {.25, .45, .12, .05, .13, 0, 0, 0, 0};
const DrawnSlowdowns::Histogram DrawnSlowdowns::kBeside = {0, .68, .17, .07, .03, .02, .01, .01, .01};

double DrawnSlowdowns::quantile(const Histogram& histogram, double u) {
  double low = 0.9;
  double last = 0.9;
  for (const double p : histogram) {
    if (p > 0 && u < p) return low + 0.1 * (u / p);
    u -= p;
    low += 0.1;
    if (p > 0) last = low;
  }
  return last;  // u was what rounding left of the probabilities
}

DrawnSlowdowns::DrawnSlowdowns(std::uint64_t seed, std::size_t jobs)
    : beside_(seed, "slowdown.beside"), processors_(jobs), cores_(jobs) {
  const RandomKey processors(seed, "slowdown.over_processors"), cores(seed, "slowdown.over_cores");
  for (std::size_t j = 0; j != jobs; ++j) {
    processors_[j] = quantile(kOverProcessors, processors.uniform(j));
    cores_[j] = quantile(kOverCores, cores.uniform(j));
  }
}

double DrawnSlowdowns::beside(JobIndex j, JobIndex other) const { return quantile(kBeside, beside_.uniform(j, other)); }

double SlowdownTable::least_beside() const {
  double least = 1;
  for (const Application& a : applications_)
    for (const auto* values : {&a.beside, &a.apart})
      for (const double v : *values) least = std::min(least, v);
  return least;
}

}  // namespace coslice

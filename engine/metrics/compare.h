// One run against another on the same jobs.
#pragma once

#include <string>
#include <vector>

#include "metrics/summary.h"

namespace coslice {

/// How much better a run is than its reference, as shares of the reference: 0.05 is 5 % better, negative is worse, NaN
/// where the reference gives nothing to compare with (no overhead, no jobs in the class). (Esbaugh 2010, Chapter 6.)
struct Comparison {
  struct Group {
    std::string name;
    double response_improvement = 0;  ///< 1 - mean relative response time / the reference's
  };
  double overhead_reduction = 0;  ///< 1 - overhead / the reference's
  std::vector<Group> by_class;    ///< classes that both have, in the reference's order
  Group all;                      ///< name "all"
};

Comparison compare(const Summary& reference, const Summary& run);

}  // namespace coslice

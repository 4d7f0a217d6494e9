// How long something lasts that is drawn at random: the time between failures of a node, the time of a repair.
#pragma once

#include <cstdint>

#include "core/random.h"
#include "core/time.h"

namespace coslice {

struct Lifetime {
  enum class Shape : std::uint8_t {
    kExponential,  ///< without memory: one parameter
    kWeibull,      ///< `spread` is its shape k: below 1 failures come in clusters, above 1 things wear out
    kLognormal,    ///< `spread` is the sigma of its logarithm; usual for repairs (Schroeder & Gibson 2006)
  };
  Shape shape = Shape::kExponential;
  double mean = 0;  ///< s, above 0
  double spread = 1;

  /// At least 1 ns.
  Duration draw(RandomStream& random) const;
};

}  // namespace coslice

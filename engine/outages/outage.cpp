#include "outages/outage.h"

#include <algorithm>

#include "core/portable_math.h"

namespace coslice {

namespace {

double draw_seconds(const Lifetime& l, RandomStream& random) {
  switch (l.shape) {
    case Lifetime::Shape::kExponential: break;
    case Lifetime::Shape::kWeibull: {
      // The mean of a Weibull variate is scale x Gamma(1 + 1 / k).
      const double scale = l.mean / portable_exp(portable_log_gamma(1 + 1 / l.spread));
      return scale * portable_pow(random.exponential(1), 1 / l.spread);
    }
    case Lifetime::Shape::kLognormal:
      return random.lognormal(portable_log(l.mean) - l.spread * l.spread / 2, l.spread);
  }
  return random.exponential(l.mean);
}

}  // namespace

Duration Lifetime::draw(RandomStream& random) const {
  return std::max(Duration{1}, from_seconds(std::min(draw_seconds(*this, random), kMaxSeconds)));
}

}  // namespace coslice

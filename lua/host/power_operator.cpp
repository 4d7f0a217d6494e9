#include "host/power_operator.h"

#include <cmath>
#include <limits>

#include "core/portable_math.h"

namespace coslice::luahost {
namespace {

bool is_whole(double y) { return std::floor(y) == y; }

/// Beyond 2^53 every double is even.
bool is_odd(double y) { return std::fabs(y) < 0x1p53 && is_whole(y) && std::fmod(std::fabs(y), 2.0) == 1.0; }

}  // namespace

double power(double x, double y) {
  if (y == 0.5 && x > 0.0) return std::sqrt(x);  // exact, and scripts compare the two
  if (!std::signbit(x) || std::isnan(x) || y == 0.0) return portable_pow(x, y);
  if (x < 0.0 && std::isfinite(x) && !is_whole(y)) return std::numeric_limits<double>::quiet_NaN();
  const double size = portable_pow(-x, y);
  return is_odd(y) ? -size : size;
}

}  // namespace coslice::luahost

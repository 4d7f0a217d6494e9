#include "report/number.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace coslice {
namespace {

/// Commas between the thousands of a decimal number.
std::string with_commas(std::string digits) {
  const std::size_t first = digits[0] == '-' ? 1 : 0;
  std::size_t at = std::min(digits.find('.'), digits.size());
  for (; at > first + 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

}  // namespace

std::string grouped(std::int64_t n) { return with_commas(std::to_string(n)); }

std::string counted(std::int64_t n, const std::string& thing) { return grouped(n) + " " + thing + (n == 1 ? "" : "s"); }

std::string grouped(double x, int decimals) {
  const std::string digits = fmt::format("{:.{}f}", x, decimals);
  return std::abs(x) < 1e18 ? with_commas(digits) : fmt::format("{:.3g}", x);
}

std::string readable(double x) {
  const double size = std::abs(x);
  if (x == 0) return "0";
  if (!(size < 1e18)) return fmt::format("{:.3g}", x);
  // The bounds are those at which rounding would show one digit more.
  if (size < 9.995) return fmt::format("{:.2f}", x);
  if (size < 99.95) return fmt::format("{:.1f}", x);
  return grouped(std::llround(x));
}

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }

}  // namespace coslice

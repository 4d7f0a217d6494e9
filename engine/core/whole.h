// From floating-point numbers to whole ones. A plain conversion is undefined where the number does not fit; these are
// defined for every number.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

namespace coslice {

/// Without its decimals; beyond the ends of T the nearer end, and 0 for what is no number.
template <class T>
constexpr T truncated(double x) {
  static_assert(std::is_integral_v<T>);
  constexpr int kBits = std::numeric_limits<T>::digits;
  constexpr double kAbove = 2.0 * static_cast<double>(std::uint64_t{1} << (kBits - 1));  // exact, unlike the largest T
  if (x != x) return 0;
  if (x >= kAbove) return std::numeric_limits<T>::max();
  if (x <= (std::is_signed_v<T> ? -kAbove : 0.0)) return std::numeric_limits<T>::min();
  return static_cast<T>(x);
}

/// The nearest whole number, halves away from zero; beyond the ends of T the nearer end, and 0 for what is no number.
template <class T>
T nearest_whole(double x) {
  return truncated<T>(std::round(x));
}

/// The number as a T; nothing if it is not whole or does not fit.
template <class T>
std::optional<T> exact_whole(double x) {
  const T whole = truncated<T>(x);
  constexpr double kAbove = 2.0 * static_cast<double>(std::uint64_t{1} << (std::numeric_limits<T>::digits - 1));
  return x < kAbove && static_cast<double>(whole) == x ? std::optional(whole) : std::nullopt;
}

}  // namespace coslice

// exp, log and their kin with the same bits on every machine. The C library's versions differ between processors
// (fused multiply-add or not) and releases; these use only +, -, *, / of IEEE doubles, each rounded once. The build
// must not contract them (-ffp-contract=off). Whatever draws random numbers uses these.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

namespace coslice {

/// Returns e^x; error below 1 ulp.
double portable_exp(double x);
/// Returns 2^x; exact for whole x; error below 1 ulp.
double portable_exp2(double x);
/// Returns the natural logarithm; error below 1 ulp. -infinity for 0, NaN below.
double portable_log(double x);
/// Returns the logarithm to base 2; exact for powers of two; error below 1 ulp.
double portable_log2(double x);
/// Returns x^y for x >= 0; error below 1 ulp. NaN for x < 0, also where y is whole.
double portable_pow(double x, double y);

/// Returns ln Gamma(x) for x > 0; relative error below 1e-14 except near its zeros 1 and 2, absolute below 1e-14 there.
double portable_log_gamma(double x);
/// Returns P(a, x): the regularised lower incomplete gamma function, the CDF at x of a gamma variate of shape a > 0 and
/// scale 1. Absolute error below 1e-12 for a up to 1000.
double portable_gamma_p(double a, double x);

// From floating-point numbers to whole ones. A plain conversion is undefined where the number does not fit; these are
// defined for every number.

/// Returns x without its decimals; beyond the ends of T the nearer end, and 0 for NaN.
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

/// Returns whole / part, rounded up: how many parts hold the whole. Precondition: whole >= 0, part > 0.
template <class T>
constexpr T divided_up(T whole, T part) {
  return whole / part + (whole % part != 0 ? 1 : 0);
}

/// Returns the number as a T; nothing if it is not whole or does not fit.
template <class T>
std::optional<T> exact_whole(double x) {
  const T whole = truncated<T>(x);
  constexpr double kAbove = 2.0 * static_cast<double>(std::uint64_t{1} << (std::numeric_limits<T>::digits - 1));
  return x < kAbove && static_cast<double>(whole) == x ? std::optional(whole) : std::nullopt;
}

}  // namespace coslice

// The portable exp, log and pow: near the C library's, and the same bits everywhere.
#include "core/portable_math.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>

#include "catch.h"
#include "core/random.h"

namespace portable_math_test {

using namespace coslice;

namespace {

/// Doubles between a and b, which are finite.
std::uint64_t ulps(double a, double b) {
  const auto ordered = [](double x) {
    const auto bits = std::bit_cast<std::int64_t>(x);
    return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
  };
  const std::int64_t x = ordered(a), y = ordered(b);
  return x > y ? static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y)
               : static_cast<std::uint64_t>(y) - static_cast<std::uint64_t>(x);
}

/// The worst distance over n random arguments, and a hash over all results.
struct Sweep {
  std::uint64_t worst = 0;
  std::uint64_t hash = 0;

  void add(double mine, double theirs) {
    worst = std::max(worst, ulps(mine, theirs));
    hash = (hash ^ std::bit_cast<std::uint64_t>(mine)) * 0x100000001B3ull;
  }
};

Sweep sweep(double low, double high, double (*mine)(double), double (*theirs)(double)) {
  RandomStream random(1, "sweep");
  Sweep s;
  for (int i = 0; i < 200000; ++i) {
    const double x = random.uniform(low, high);
    s.add(mine(x), theirs(x));
  }
  return s;
}

double std_exp(double x) { return std::exp(x); }
double std_exp2(double x) { return std::exp2(x); }
double std_log(double x) { return std::log(x); }
double std_log2(double x) { return std::log2(x); }

}  // namespace

TEST_CASE("exp and exp2 are within 1 ulp of the C library's", "[math]") {
  // The library's own error is up to half an ulp, so 1 here is "below 1.5"; measured against exact values: below 1.
  for (const double range : {1e-9, 0.3, 1.0, 10.0, 700.0}) {
    INFO(range);
    CHECK(sweep(-range, range, portable_exp, std_exp).worst <= 1);
    CHECK(sweep(-range, range, portable_exp2, std_exp2).worst <= 1);
  }
  CHECK(portable_exp2(-1074) == 0x1p-1074);
  CHECK(portable_exp2(1023) == 0x1p1023);
  for (int k = -1022; k < 1024; ++k) REQUIRE(portable_exp2(k) == std::ldexp(1.0, k));
  CHECK(portable_exp(0) == 1);
  CHECK(portable_exp(-800) == 0);
  CHECK(std::isinf(portable_exp(710)));
  CHECK(ulps(portable_exp(-740), std::exp(-740)) <= 1);
  CHECK(std::isnan(portable_exp(std::nan(""))));
}

TEST_CASE("log and log2 are within 1 ulp of the C library's", "[math]") {
  CHECK(sweep(0, 1, portable_log, std_log).worst <= 1);
  CHECK(sweep(0.9, 1.1, portable_log, std_log).worst <= 1);
  CHECK(sweep(0.999999, 1.000001, portable_log, std_log).worst <= 1);
  CHECK(sweep(0, 1e300, portable_log, std_log).worst <= 1);
  CHECK(sweep(0, 1e-310, portable_log, std_log).worst <= 1);
  CHECK(sweep(0.5, 2, portable_log2, std_log2).worst <= 1);
  CHECK(sweep(0, 1e6, portable_log2, std_log2).worst <= 1);
  for (int k = -1074; k < 1024; ++k) REQUIRE(portable_log2(std::ldexp(1.0, k)) == k);
  CHECK(portable_log(1) == 0);
  CHECK(std::isinf(portable_log(0)));
  CHECK(std::isnan(portable_log(-1)));
}

TEST_CASE("pow is within 1 ulp of the C library's", "[math]") {
  RandomStream random(2, "pow");
  Sweep s;
  for (int i = 0; i < 300000; ++i) {
    const double x = std::ldexp(random.uniform(0.5, 1), static_cast<int>(random.uniform_int(-60, 60)));
    const double y = random.uniform(-16, 16);
    s.add(portable_pow(x, y), std::pow(x, y));
  }
  CHECK(s.worst <= 1);
  for (int i = 0; i < 100000; ++i) {  // tiny bases with large exponents, as in U^(1/f)
    const double x = random.uniform(), y = random.uniform(0, 100);
    s.add(portable_pow(x, y), std::pow(x, y));
  }
  CHECK(s.worst <= 1);
  CHECK(portable_pow(2, 10) == 1024);
  CHECK(portable_pow(10, 3) == 1000);
  CHECK(portable_pow(0, 2) == 0);
  CHECK(portable_pow(5, 0) == 1);
  CHECK(std::isinf(portable_pow(0, -1)));
  CHECK(std::isinf(portable_pow(1e300, 2)));
  CHECK(portable_pow(1e-300, 2) == 0);
}

TEST_CASE("the bits of exp, log and pow never change", "[math]") {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  CHECK(bits(portable_exp(1)) == 0x4005BF0A8B145769ull);
  CHECK(bits(portable_log(10)) == 0x40026BB1BBB55516ull);
  CHECK(bits(portable_exp2(0.5)) == 0x3FF6A09E667F3BCCull);
  CHECK(bits(portable_log2(3)) == 0x3FF95C01A39FBD68ull);
  CHECK(bits(portable_pow(2, 0.25)) == 0x3FF306FE0A31B715ull);
  CHECK(sweep(-20, 20, portable_exp, std_exp).hash == 0xc188a98272b36c5full);
  CHECK(sweep(-20, 20, portable_exp2, std_exp2).hash == 0xbf39269f03e4cc7aull);
  CHECK(sweep(0, 20, portable_log, std_log).hash == 0x4dc22dd2f34de6aull);
  CHECK(sweep(0, 20, portable_log2, std_log2).hash == 0x83f14c4110facf63ull);
}

TEST_CASE("the gamma function and its incomplete form", "[math]") {
  CHECK(portable_log_gamma(1) == Approx(0).margin(1e-14));
  CHECK(portable_log_gamma(0.5) == Approx(std::log(std::sqrt(std::acos(-1.0)))).epsilon(1e-14));
  for (const double x : {0.1, 1.5, 3.3, 8.1737, 14.99, 15.0, 312.0, 639.1})
    CHECK(portable_log_gamma(x) == Approx(std::lgamma(x)).epsilon(1e-13));
  // Shape 1 is the exponential, shape 2 its convolution; a whole shape is a Poisson tail.
  for (const double x : {1e-6, 0.1, 1.0, 2.5, 7.0, 40.0}) {
    CHECK(portable_gamma_p(1, x) == Approx(-std::expm1(-x)).epsilon(1e-12));
    CHECK(portable_gamma_p(2, x) == Approx(-std::expm1(-x) - x * std::exp(-x)).margin(1e-12));
    CHECK(portable_gamma_p(0.5, x) == Approx(std::erf(std::sqrt(x))).epsilon(1e-12));
  }
  for (const double a : {4.2, 10.2303, 312.0, 639.1}) {
    for (const double t : {0.8, 0.95, 1.0, 1.05, 1.2}) {  // Simpson's rule over the density
      const double x = a * t;
      const int n = 40000;
      const auto density = [&](double u) {
        return u <= 0 ? 0.0 : std::exp((a - 1) * std::log(u) - u - std::lgamma(a));
      };
      double sum = density(0) + density(x);
      for (int i = 1; i < n; ++i) sum += density(x * i / n) * (i % 2 == 1 ? 4 : 2);
      CHECK(portable_gamma_p(a, x) == Approx(sum * x / n / 3).margin(1e-10));
    }
  }
  CHECK(portable_gamma_p(3, 0) == 0);
  CHECK(portable_gamma_p(3, 1e5) == 1);
}

}  // namespace portable_math_test

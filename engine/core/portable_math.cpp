#include "core/portable_math.h"

#include <array>
#include <bit>
#include <cmath>

namespace coslice {
namespace {

// ln 2 in two parts; the first has 32 bits, so that its product with an exponent is exact.
constexpr double kLn2High = 0x1.62e42fee00000p-1, kLn2Low = 0x1.a39ef35793c76p-33;
// The nearest doubles and what they leave over.
constexpr double kLn2 = 0x1.62e42fefa39efp-1, kLn2Rest = 0x1.abc9e3b39803fp-56;
constexpr double kLog2e = 0x1.71547652b82fep+0, kLog2eRest = 0x1.777d0ffda0d24p-56;
constexpr double kTwoThirds = 0x1.5555555555555p-1, kTwoThirdsRest = 0x1.5555555555555p-55;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// An unevaluated sum with |low| far below |high|: about 106 bits.
struct Pair {
  double high, low;
};

/// a + b exactly (Knuth).
Pair exact_sum(double a, double b) {
  const double sum = a + b;
  const double from_b = sum - a;
  return {sum, (a - (sum - from_b)) + (b - from_b)};
}

/// a * b exactly (Dekker), without a fused multiply-add. |a|, |b| below 2^990.
Pair exact_product(double a, double b) {
  constexpr double kSplit = 134217729.0;  // 2^27 + 1
  const double ca = kSplit * a, cb = kSplit * b;
  const double ah = ca - (ca - a), al = a - ah;
  const double bh = cb - (cb - b), bl = b - bh;
  const double product = a * b;
  return {product, ((ah * bh - product) + ah * bl + al * bh) + al * bl};
}

Pair operator*(Pair a, Pair b) {
  const Pair p = exact_product(a.high, b.high);
  return {p.high, p.low + (a.high * b.low + a.low * b.high)};
}

Pair operator+(Pair a, Pair b) {
  const Pair s = exact_sum(a.high, b.high);
  return exact_sum(s.high, s.low + (a.low + b.low));
}

/// x * 2^k for any k, also into and out of the subnormal numbers.
double scale(double x, int k) {
  const auto power = [](int e) { return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52); };
  if (k > 1023) return x * power(1023) * power(k - 1023);
  if (k < -1022) return x * power(k + 200) * power(-200);
  return x * power(k);
}

/// x = 2^exponent * (1 + f) with 1 + f between sqrt(1/2) and sqrt(2). x is finite and positive.
struct Split {
  int exponent;
  double f;
};

Split split(double x) {
  int exponent = 0;
  if (x < std::numeric_limits<double>::min()) {
    x *= 0x1p54;
    exponent = -54;
  }
  auto bits = std::bit_cast<std::uint64_t>(x);
  exponent += static_cast<int>(bits >> 52) - 1023;
  bits = (bits & 0xFFFFFFFFFFFFFull) | 0x3FF0000000000000ull;
  double m = std::bit_cast<double>(bits);
  if (m > 0x1.6a09e667f3bcdp+0) {
    m *= 0.5;
    ++exponent;
  }
  return {exponent, m - 1.0};
}

/// 2 z^(n-first) / (2n + 1), summed for n = first ... 11: what the series ln((1+s)/(1-s)) = 2s + 2s^3/3 + ... has
/// behind its first terms, z = s^2 < 0.0295. The twelfth term is below half an ulp of the sum.
double log_series(double z, int first) {
  double sum = 0;
  for (int n = 11; n >= first; --n) sum = sum * z + 2.0 / (2 * n + 1);
  return sum;
}

/// ln(2^exponent * (1 + f)) to about 2^-63 of its value.
Pair log_pair(Split x) {
  const double f = x.f;
  const Pair denominator = exact_sum(2.0, f);
  const double s = f / denominator.high;
  const Pair back = exact_product(s, denominator.high);
  const double s_low = ((f - back.high) - back.low - s * denominator.low) / denominator.high;
  const Pair root{s, s_low};
  const Pair z = root * root;
  const Pair cubic = Pair{kTwoThirds, kTwoThirdsRest} * (root * z);
  const double tail = s * z.high * z.high * log_series(z.high, 2);
  const Pair of_fraction = Pair{2 * s, 2 * s_low} + (cubic + Pair{tail, 0});
  return Pair{x.exponent * kLn2High, x.exponent * kLn2Low} + of_fraction;
}

/// e^(r + rest) for |r| < 0.35 and a rest below an ulp of r.
double exp_small(double r, double rest) {
  static constexpr std::array<double, 15> kFactorial = [] {
    std::array<double, 15> f{1};
    for (int i = 1; i < 15; ++i) f[i] = f[i - 1] * i;
    return f;
  }();
  double sum = 0;
  for (int i = 14; i >= 2; --i) sum = sum * r + 1.0 / kFactorial[i];
  return 1.0 + (r + (r * r * sum + (rest + rest * r)));
}

/// The nearest whole number; |x| is far below 2^31.
int nearest(double x) { return static_cast<int>(x < 0 ? x - 0.5 : x + 0.5); }

/// e^(x.high + x.low).
double exp_pair(Pair x) {
  if (x.high > 710) return kInfinity;
  if (x.high < -746) return 0;
  const int k = nearest(x.high * kLog2e);
  const Pair r = exact_sum(x.high - k * kLn2High, x.low - k * kLn2Low);
  return scale(exp_small(r.high, r.low), k);
}

constexpr double kTiny = 1e-300;
constexpr double kEnough = 1e-17;

/// x^a e^-x / Gamma(a).
double gamma_weight(double a, double x) { return portable_exp(a * portable_log(x) - x - portable_log_gamma(a)); }

/// P(a, x) = weight * sum of x^n / (a (a+1) ... (a+n)); converges fast below x = a + 1.
double gamma_p_series(double a, double x) {
  double term = 1 / a, sum = term;
  for (double n = a + 1; term > sum * kEnough; n += 1) sum += term *= x / n;
  return sum * gamma_weight(a, x);
}

/// 1 - P(a, x) by its continued fraction (Legendre), evaluated forwards (Lentz); for x above a + 1.
double gamma_q_fraction(double a, double x) {
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, h = d;
  for (int i = 1; i < 10000; ++i) {
    const double numerator = -i * (i - a);
    b += 2;
    d = numerator * d + b;
    if (std::abs(d) < kTiny) d = kTiny;
    c = b + numerator / c;
    if (std::abs(c) < kTiny) c = kTiny;
    d = 1 / d;
    const double factor = d * c;
    h *= factor;
    if (std::abs(factor - 1) < 1e-16) break;
  }
  return h * gamma_weight(a, x);
}

}  // namespace

double portable_exp(double x) {
  if (std::isnan(x)) return x;
  return exp_pair({x, 0});
}

double portable_exp2(double x) {
  if (std::isnan(x)) return x;
  if (x >= 1024) return kInfinity;
  if (x < -1076) return 0;
  const int k = nearest(x);
  const Pair p = exact_product(x - k, kLn2);
  return scale(exp_small(p.high, p.low + (x - k) * kLn2Rest), k);
}

double portable_log(double x) {
  if (std::isnan(x) || x == kInfinity) return x;
  if (x == 0) return -kInfinity;
  if (x < 0) return std::numeric_limits<double>::quiet_NaN();
  const Split parts = split(x);
  const double f = parts.f, s = f / (2.0 + f), z = s * s;
  // 2s = f - s f: the rounded quotient meets only the small part s (f^2/2 + series).
  const double half_square = 0.5 * f * f;
  const double series = z * log_series(z, 1);
  const double low = parts.exponent * kLn2Low;
  return parts.exponent * kLn2High - ((half_square - (s * (half_square + series) + low)) - f);
}

double portable_log2(double x) {
  if (std::isnan(x) || x == kInfinity) return x;
  if (x == 0) return -kInfinity;
  if (x < 0) return std::numeric_limits<double>::quiet_NaN();
  const Split parts = split(x);
  const Pair fraction = log_pair({0, parts.f}) * Pair{kLog2e, kLog2eRest};
  const Pair sum = exact_sum(static_cast<double>(parts.exponent), fraction.high);
  return sum.high + (sum.low + fraction.low);
}

double portable_pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (std::isnan(x) || std::isnan(y) || x < 0) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0 || x == kInfinity) return (x == 0) == (y > 0) ? 0 : kInfinity;
  const Pair log_x = log_pair(split(x));
  const double rough = log_x.high * y;
  if (rough > 710) return kInfinity;
  if (rough < -746) return 0;
  const Pair product = exact_product(log_x.high, y);
  return exp_pair({product.high, product.low + log_x.low * y});
}

double portable_log_gamma(double x) {
  // Stirling's series needs a large argument; Gamma(x + 1) = x Gamma(x) leads there.
  double product = 1;
  for (; x < 15; x += 1) product *= x;
  constexpr double kHalfLogTwoPi = 0x1.d67f1c864beb5p-1;
  const double u = 1 / (x * x);
  const double series =
      (1.0 / 12 - u * (1.0 / 360 - u * (1.0 / 1260 - u * (1.0 / 1680 - u * (1.0 / 1188 - u * (691.0 / 360360)))))) / x;
  return (x - 0.5) * portable_log(x) - x + kHalfLogTwoPi + series - portable_log(product);
}

double portable_gamma_p(double a, double x) {
  if (!(x > 0)) return std::isnan(x) ? x : 0;
  if (x == kInfinity) return 1;
  return x < a + 1 ? gamma_p_series(a, x) : 1 - gamma_q_fraction(a, x);
}

}  // namespace coslice

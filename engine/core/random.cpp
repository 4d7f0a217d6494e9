#include "core/random.h"

#include <cmath>

#include "core/portable_math.h"

namespace coslice {
namespace {

__extension__ using Unsigned128 = unsigned __int128;
constexpr std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

}  // namespace

std::uint64_t derive_seed(std::uint64_t seed, std::string_view purpose) {
  std::uint64_t hash = 0xCBF29CE484222325ull;  // FNV-1a
  for (const char c : purpose) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return spread_bits(spread_bits(seed + kGoldenRatio) ^ hash);
}

RandomStream::RandomStream(std::uint64_t derived_seed) {
  for (auto& word : state_) word = spread_bits(derived_seed += kGoldenRatio);
}

std::uint64_t RandomStream::operator()() {
  auto& s = state_;
  const std::uint64_t result = rotate(s[1] * 5, 7) * 9;
  const std::uint64_t shifted = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= shifted;
  s[3] = rotate(s[3], 45);
  return result;
}

double RandomStream::uniform_open() { return (static_cast<double>((*this)() >> 12) + 0.5) * 0x1p-52; }

std::int64_t RandomStream::uniform_int(std::int64_t low, std::int64_t high) {
  const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  if (range == 0) return static_cast<std::int64_t>((*this)());  // all 64 bits
  // The high half of a product is even once the low halves that come once too often are thrown away (Lemire 2019).
  const std::uint64_t threshold = (0 - range) % range;
  Unsigned128 product;
  do product = static_cast<Unsigned128>((*this)()) * range;
  while (static_cast<std::uint64_t>(product) < threshold);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + static_cast<std::uint64_t>(product >> 64));
}

double RandomStream::exponential(double mean) { return -mean * portable_log(uniform_open()); }

double RandomStream::normal(double mean, double deviation) {
  for (;;) {
    const double u = uniform(-1, 1), v = uniform(-1, 1);
    const double s = u * u + v * v;
    if (s < 1 && s > 0) return mean + deviation * (u * std::sqrt(-2 * portable_log(s) / s));
  }
}

double RandomStream::lognormal(double mu, double sigma) { return portable_exp(normal(mu, sigma)); }

double RandomStream::gamma(double shape, double scale) {
  // Below shape 1: a draw of shape + 1 times U^(1/shape).
  if (shape < 1) {
    const double u = uniform_open();
    return gamma(shape + 1, scale) * portable_pow(u, 1 / shape);
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal(0, 1);
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (portable_log(uniform_open()) < 0.5 * x * x + d - d * v + d * portable_log(v)) return d * v * scale;
  }
}

std::uint64_t RandomKey::bits(std::uint64_t i, std::uint64_t j) const {
  const std::uint64_t first = spread_bits(base_ + i * kGoldenRatio);
  return spread_bits((first ^ j * 0xD1B54A32D192ED03ull) + kGoldenRatio);
}

}  // namespace coslice

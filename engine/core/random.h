// Random numbers with the same bits everywhere. One named stream per purpose, so that one more draw for sizes leaves
// the arrivals alone; keyed draws where the order of asking must not matter; and the mixing of words that both rest on.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace coslice {

inline constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15ull;  ///< 2^64 / golden ratio

/// Spreads each bit of a word over all, one to one: the finaliser of SplitMix64 (Stafford's Mix13).
constexpr std::uint64_t spread_bits(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}
/// Folds `word` into the running hash `h`: the same on each machine, order-sensitive, a few instructions a word.
constexpr std::uint64_t hash_mix(std::uint64_t h, std::uint64_t word) { return spread_bits((h ^ word) + kGoldenRatio); }

/// Returns a seed for (seed, purpose): different purposes are independent.
std::uint64_t derive_seed(std::uint64_t seed, std::string_view purpose);

/// A stream of random numbers: xoshiro256** (Blackman & Vigna 2021), seeded through SplitMix64.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view purpose) : RandomStream(derive_seed(seed, purpose)) {}
  explicit RandomStream(std::uint64_t derived_seed);

  /// 64 random bits. (A standard uniform random bit generator.)
  using result_type = std::uint64_t;
  std::uint64_t operator()();
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  /// Draws from [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }
  /// Draws from [low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Returns a whole number in [low, high], each equally likely. Needs low <= high.
  std::int64_t uniform_int(std::int64_t low, std::int64_t high);
  /// Draws from the exponential distribution with the given mean.
  double exponential(double mean);
  /// Draws from the normal distribution (Marsaglia & Bray's polar method).
  double normal(double mean, double deviation);
  /// Draws e^normal(mu, sigma).
  double lognormal(double mu, double sigma);
  /// Draws from the gamma distribution with density proportional to x^(shape-1) e^(-x/scale) (Marsaglia & Tsang 2000).
  /// Both are above 0.
  double gamma(double shape, double scale);

 private:
  double uniform_open();  // in (0, 1)

  std::array<std::uint64_t, 4> state_;
};

/// Draws that depend only on (seed, purpose, i, j): pairs of jobs, processes, iterations.
class RandomKey {
 public:
  RandomKey(std::uint64_t seed, std::string_view purpose) : base_(derive_seed(seed, purpose)) {}

  std::uint64_t bits(std::uint64_t i, std::uint64_t j = 0) const;
  /// Returns the key's number in [0, 1).
  double uniform(std::uint64_t i, std::uint64_t j = 0) const { return static_cast<double>(bits(i, j) >> 11) * 0x1p-53; }
  /// Returns a whole stream for the key, where one number is not enough.
  RandomStream stream(std::uint64_t i, std::uint64_t j = 0) const { return RandomStream(bits(i, j)); }

 private:
  std::uint64_t base_;
};

}  // namespace coslice

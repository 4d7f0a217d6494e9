// Random numbers for tests of statistics.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

namespace coslice::test {

/// Draws that are the same with every library: only the engine's bits are used.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : bits_(seed) {}
  double uniform() { return (static_cast<double>(bits_() >> 11) + 0.5) / 9007199254740992.0; }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform()); }
  double exponential() { return -std::log(uniform()); }

 private:
  std::mt19937_64 bits_;
};

}  // namespace coslice::test

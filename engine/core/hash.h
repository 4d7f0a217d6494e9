// Mixing 64-bit words into a fingerprint: the same on each machine, order-sensitive, a few instructions a word.
#pragma once

#include <cstdint>

namespace coslice {

/// Folds `word` into the running hash `h` (multiply-xorshift; the finaliser of SplitMix64 with h as the seed).
constexpr std::uint64_t hash_mix(std::uint64_t h, std::uint64_t word) {
  std::uint64_t z = (h ^ word) + 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace coslice

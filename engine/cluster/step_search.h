// The inner loops of the availability profile.
#pragma once

#include <cstdint>

#include "core/time.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace coslice {

/// The last of n sorted instants that is not after t (0 if all are). Branches here would be mispredicted half the time;
/// comparisons that do not wait for one another are quicker than fewer of them that do.
inline std::int32_t last_not_after(const Time* times, std::int32_t n, Time t) {
  const Time* base = times;
  while (n > 4) {
    const std::int32_t quarter = n / 4;
    const std::int32_t passed = (base[quarter] <= t) + (base[2 * quarter] <= t) + (base[3 * quarter] <= t);
    base += passed * quarter;
    n = passed == 3 ? n - 3 * quarter : quarter;
  }
  while (n > 1) {
    const std::int32_t half = n / 2;
    base += base[half] <= t ? half : 0;
    n -= half;
  }
  return static_cast<std::int32_t>(base - times);
}

/// Bit i of the result tells whether counts[i] >= n. Reads counts[0 .. 63]. Precondition: n > INT32_MIN.
inline std::uint64_t fit_mask(const std::int32_t* counts, std::int32_t n) {
  std::uint64_t mask = 0;
#if defined(__SSE2__)
  // Sixteen comparisons, packed from 32 to 8 bits each, give 16 bits of the mask. Every x86-64 processor has this.
  const __m128i limit = _mm_set1_epi32(n - 1);
  const auto compare = [&](int i) {
    return _mm_cmpgt_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(counts + i)), limit);
  };
  for (int i = 0; i < 64; i += 16) {
    const __m128i low = _mm_packs_epi32(compare(i), compare(i + 4));
    const __m128i high = _mm_packs_epi32(compare(i + 8), compare(i + 12));
    mask |= static_cast<std::uint64_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high))) << i;
  }
#else
  for (int i = 0; i < 64; ++i) mask |= static_cast<std::uint64_t>(counts[i] >= n) << i;
#endif
  return mask;
}

}  // namespace coslice

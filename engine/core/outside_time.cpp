#include "core/outside_time.h"

#include <algorithm>

namespace coslice {

Duration outside_span(std::int64_t count, std::int64_t unit_seconds) {
  const std::int64_t most = static_cast<std::int64_t>(kMaxSeconds) / unit_seconds;
  return count > most ? from_seconds(kMaxSeconds) : whole_seconds(std::max<std::int64_t>(count, 0) * unit_seconds);
}

std::optional<std::int64_t> outside_instant(std::int64_t seconds) {
  if (seconds < 0 || seconds > kMaxUnixSeconds) return {};
  return whole_seconds(seconds).count();
}

}  // namespace coslice

// Times that somebody else wrote, a scheduler or a trace: whatever the number, what comes out of here can be computed with.
#pragma once

#include <cstdint>
#include <optional>

#include "core/time.h"

namespace coslice {

/// The latest instant that others may name, in seconds since 1970 (in the year 2216): any span behind it still counts.
inline constexpr std::int64_t kMaxUnixSeconds = 7'776'000'000;

/// A count of units of so many seconds: from 0 to kMaxSeconds, whatever the count.
Duration outside_span(std::int64_t count, std::int64_t unit_seconds = 1);
/// Seconds since 1970 in nanoseconds; nothing before 1970 and behind kMaxUnixSeconds.
std::optional<std::int64_t> outside_instant(std::int64_t seconds);

}  // namespace coslice

// Dates and times of day as text, in the form of ISO 8601 that logs and accounting have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace coslice {

/// The most days that a span of time may have: no sum of seconds comes near 64 bits.
constexpr std::int64_t kMostDays = 100'000;

/// Reads the whole text as a number without a sign; nothing if it is not one.
std::optional<std::int64_t> whole_number(std::string_view text);

/// Reads "hh:mm:ss" or "mm:ss", in seconds; hours may have more than two digits. Nothing for any other text.
std::optional<std::int64_t> clock_seconds(std::string_view text);

/// Reads "2026-03-01T08:30:00", or a count of seconds since 1970, as seconds since 1970; local times are taken as they
/// stand. Nothing for any other text, and for what lies behind kMaxUnixSeconds.
std::optional<std::int64_t> iso_seconds(std::string_view text);

/// Writes seconds since 1970 as "2026-03-01T08:30:00".
std::string iso_text(std::int64_t seconds);

}  // namespace coslice

#include "core/calendar.h"

#include <chrono>

#include <fmt/core.h>

#include "core/text.h"
#include "core/time.h"

namespace coslice {

std::optional<std::int64_t> whole_number(std::string_view text) {
  return text.starts_with('-') ? std::nullopt : parse_number<std::int64_t>(text);
}

std::optional<std::int64_t> clock_seconds(std::string_view text) {
  std::int64_t seconds = 0;
  int parts = 0;
  while (true) {
    const std::size_t colon = text.find(':');
    const auto part = whole_number(text.substr(0, colon));
    if (!part || *part > kMostDays * 24 || (parts > 0 && *part >= 60)) return {};
    seconds = seconds * 60 + *part;
    ++parts;
    if (colon == text.npos) break;
    text.remove_prefix(colon + 1);
  }
  return parts == 2 || parts == 3 ? std::optional(seconds) : std::nullopt;
}

std::optional<std::int64_t> iso_seconds(std::string_view text) {
  if (text.find('-') == text.npos) {
    const auto seconds = whole_number(text);
    return seconds && *seconds > 0 && outside_instant(*seconds) ? seconds : std::nullopt;
  }
  if (text.size() != 19 || text[4] != '-' || text[7] != '-' || text[10] != 'T') return {};
  const auto year = whole_number(text.substr(0, 4)), month = whole_number(text.substr(5, 2)),
             day = whole_number(text.substr(8, 2));
  const auto clock = clock_seconds(text.substr(11));
  if (!year || !month || !day || !clock || *clock >= kSecondsPerDay) return {};
  if (*year < 1970 || *month < 1 || *month > 12 || *day < 1 || *day > 31) return {};
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  const std::int64_t seconds = std::chrono::sys_days(date).time_since_epoch().count() * kSecondsPerDay + *clock;
  return outside_instant(seconds) ? std::optional(seconds) : std::nullopt;
}

std::string iso_text(std::int64_t seconds) {
  const std::int64_t clock = seconds % kSecondsPerDay;
  const std::chrono::year_month_day date(std::chrono::sys_days(std::chrono::days(seconds / kSecondsPerDay)));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock / 3600,
                     clock / 60 % 60, clock % 60);
}

}  // namespace coslice

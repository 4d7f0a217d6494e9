#include "core/time.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include <fmt/core.h>

#include "core/text.h"

namespace coslice {
namespace {

/// |d| without overflow at the most negative value.
std::uint64_t magnitude(Duration d) {
  const auto bits = static_cast<std::uint64_t>(d.count());
  return d.count() < 0 ? 0 - bits : bits;
}

/// value / unit, halves up.
std::uint64_t rounded(std::uint64_t value, std::uint64_t unit) {
  return value / unit + (value % unit >= (unit + 1) / 2 ? 1 : 0);
}

std::string two_digits(std::uint64_t v) { return (v < 10 ? "0" : "") + std::to_string(v); }

/// Below one minute: a unit that leaves one to three digits before the point.
std::string human_short(std::uint64_t ns) {
  if (ns == 0) return "0 s";
  if (ns < 1'000) return std::to_string(ns) + " ns";
  if (const auto us = rounded(ns, 1'000); us < 1'000) return std::to_string(us) + " us";
  if (const auto ms = rounded(ns, 1'000'000); ms < 1'000) return std::to_string(ms) + " ms";
  const auto tenths = rounded(ns, kNsPerSecond / 10);
  return std::to_string(tenths / 10) + (tenths % 10 != 0 ? "." + std::to_string(tenths % 10) : "") + " s";
}

std::string human_clock(std::uint64_t s) {
  return two_digits(s / 3'600 % 24) + ":" + two_digits(s / 60 % 60) + ":" + two_digits(s % 60);
}

std::string human_magnitude(std::uint64_t ns) {
  if (rounded(ns, kNsPerSecond / 10) < 600) return human_short(ns);
  const auto s = rounded(ns, kNsPerSecond);
  if (s < 3'600) return std::to_string(s / 60) + " min " + two_digits(s % 60) + " s";
  const auto min = rounded(s, 60);
  if (min < 24 * 60) return std::to_string(min / 60) + " h " + two_digits(min % 60) + " min";
  const auto day = std::max<std::uint64_t>(s, 86'400);  // the last half minute before a day was rounded up to it
  return std::to_string(day / 86'400) + " d " + human_clock(day);
}

}  // namespace

Duration from_seconds(double s) {
  // The whole part and the fraction are exact, so only the fraction's product is rounded: s * 1e9 as one product
  // would lose the nanoseconds beyond 104 days.
  constexpr double kMost = 9'223'372'036;  // whole seconds that fit
  if (!(std::abs(s) <= kMost)) return s > 0 ? Duration::max() : s < 0 ? Duration::min() : Duration::zero();
  // Casts and comparisons in place of std::trunc and std::llround, which are calls of a library: sizes of a hundred
  // thousand jobs are millions of times. Halves are rounded away from zero.
  const auto whole = static_cast<std::int64_t>(s);
  const double ns = (s - static_cast<double>(whole)) * 1e9;
  const auto least = static_cast<std::int64_t>(ns);
  const double rest = ns - static_cast<double>(least);
  return Duration{whole * kNsPerSecond + least + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0)};
}

char* write_seconds(char* to, Duration d) {
  const std::uint64_t ns = magnitude(d);
  if (d.count() < 0) *to++ = '-';
  to = std::to_chars(to, to + kLongestSeconds, ns / kNsPerSecond).ptr;
  std::uint64_t fraction = ns % kNsPerSecond;
  if (fraction == 0) return to;
  *to++ = '.';
  for (int i = 8; i >= 0; --i, fraction /= 10) to[i] = static_cast<char>('0' + fraction % 10);
  to += 9;
  while (to[-1] == '0') --to;
  return to;
}

void append_seconds(std::string& out, Duration d, char behind) {
  char text[kLongestSeconds];
  char* end = write_seconds(text, d);
  if (behind != 0) *end++ = behind;
  out.append(text, static_cast<std::size_t>(end - text));
}

std::string format_seconds(Duration d) {
  std::string out;
  append_seconds(out, d);
  return out;
}

std::string human_duration(Duration d) { return (d.count() < 0 ? "-" : "") + human_magnitude(magnitude(d)); }

Duration outside_span(std::int64_t count, std::int64_t unit_seconds) {
  const std::int64_t most = static_cast<std::int64_t>(kMaxSeconds) / unit_seconds;
  return count > most ? from_seconds(kMaxSeconds) : whole_seconds(std::max<std::int64_t>(count, 0) * unit_seconds);
}

std::optional<std::int64_t> outside_instant(std::int64_t seconds) {
  if (seconds < 0 || seconds > kMaxUnixSeconds) return {};
  return whole_seconds(seconds).count();
}

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

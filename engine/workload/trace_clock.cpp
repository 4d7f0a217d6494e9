#include "workload/trace_clock.h"

#include <chrono>

#include <fmt/core.h>

#include "workload/describe.h"
#include "workload/slurm_fields.h"

namespace coslice {

namespace {

constexpr std::int64_t kSecondsOfDay = 86'400;
constexpr std::int64_t kQuarter = 900;
constexpr std::int64_t kEastmost = 14 * 3600;  // local time is at most so far ahead of UTC

}  // namespace

std::optional<TraceClock> trace_clock(const TraceHeader& header) {
  if (header.unix_start_time <= 0) return {};
  HourSource source;
  const std::int64_t of_day = second_of_day_at_0(header, source);
  std::int64_t offset = (of_day - header.unix_start_time % kSecondsOfDay + kSecondsOfDay) % kSecondsOfDay;
  if (offset > kEastmost) offset -= kSecondsOfDay;
  const std::int64_t quarters = (offset + kSecondsOfDay + kQuarter / 2) / kQuarter - kSecondsOfDay / kQuarter;
  return TraceClock{header.unix_start_time, quarters * kQuarter};
}

CalendarDate calendar_date(const TraceClock& clock, Time t) {
  using namespace std::chrono;
  const seconds local(clock.unix_at_0 + clock.offset + floor<seconds>(t.time_since_epoch()).count());
  const sys_days day = floor<days>(sys_seconds(local));
  const year_month_day date(day);
  return {static_cast<int>(date.year()), static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
          static_cast<std::int64_t>(weekday(day).iso_encoding()), (sys_seconds(local) - day).count()};
}

std::string date_text(const TraceClock& clock, Time t) {
  std::string text = slurm_time_text(clock.unix_at_0 + clock.offset + t.time_since_epoch().count() / 1'000'000'000);
  text[text.find('T')] = ' ';
  return text;
}

std::string zone_text(const TraceClock& clock) {
  const std::int64_t minutes = (clock.offset < 0 ? -clock.offset : clock.offset) / 60;
  if (minutes == 0) return "UTC";
  return fmt::format("UTC{}{:02}:{:02}", clock.offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

std::string dates_text(const TraceClock& clock, Time first, Time last) {
  return fmt::format("{} to {}, {}", date_text(clock, first), date_text(clock, last), zone_text(clock));
}

std::optional<std::int64_t> calendar_seconds(std::string_view text) {
  std::string full(text);
  if (full.size() > 10 && full[10] == ' ') full[10] = 'T';
  if (full.size() == 10) full += "T00:00:00";
  if (full.size() == 16) full += ":00";
  const auto seconds = full.find('-') == full.npos ? std::nullopt : slurm_time(full);
  if (!seconds || slurm_time_text(*seconds) != full) return {};  // a 31st of February is no date
  return seconds;
}

std::string calendar_text(std::int64_t seconds) { return slurm_time_text(seconds); }

std::int64_t trace_second(const TraceClock& clock, std::int64_t calendar) {
  return calendar - clock.offset - clock.unix_at_0;
}

}  // namespace coslice

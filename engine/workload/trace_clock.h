// The calendar of a trace: what date it is at its second 0, where its header says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "workload/workload.h"

namespace coslice {

/// Local time is that of the trace's begin throughout: changes between winter and summer time are not known.
struct TraceClock {
  std::int64_t unix_at_0 = 0;  ///< seconds since 1970, UTC, at the trace's second 0
  std::int64_t offset = 0;     ///< local time minus UTC, s; by the header's StartTime or TimeZone, else 0
};

/// Nothing if the header has no UnixStartTime.
std::optional<TraceClock> trace_clock(const TraceHeader& header);

/// A date and time of day, local time.
struct CalendarDate {
  std::int64_t year = 1970, month = 1, day = 1;
  std::int64_t weekday = 4;        ///< 1: Monday, 7: Sunday
  std::int64_t second_of_day = 0;  ///< whole seconds
};
CalendarDate calendar_date(const TraceClock& clock, Time t);

/// "1996-09-23 14:00:31", local time.
std::string date_text(const TraceClock& clock, Time t);
/// "UTC+02:00".
std::string zone_text(const TraceClock& clock);

/// "1996-09-23 14:00:31 to 1997-08-29 13:35:59, UTC+02:00".
std::string dates_text(const TraceClock& clock, Time first, Time last);

/// "1996-09-23", "1996-09-23 14:00" or "1996-09-23T14:00:31" as seconds since 1970, read as UTC; nothing if it is none.
std::optional<std::int64_t> calendar_seconds(std::string_view text);
/// The way back: "1996-09-23T14:00:31".
std::string calendar_text(std::int64_t seconds);
/// The instant of the trace at which its local calendar shows that, in seconds; it may lie before its begin.
std::int64_t trace_second(const TraceClock& clock, std::int64_t calendar);

}  // namespace coslice

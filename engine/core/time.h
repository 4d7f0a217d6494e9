// Time is an integer count of nanoseconds: no tolerances, no drift, the same on each machine.
// Files, Lua and the command line speak seconds; the engine speaks these two types.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace coslice {

/// The simulated clock. Its epoch is the trace's second 0. It never reads the host's clock.
struct SimClock {
  using duration = std::chrono::duration<std::int64_t, std::nano>;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<SimClock, duration>;
};

/// A span of simulated time in nanoseconds.
using Duration = SimClock::duration;
/// An instant of simulated time.
using Time = SimClock::time_point;

/// Later than every instant of a run: "not known", "not before the end of time".
inline constexpr Time kNever = Time::max();
/// The longest span that traces and scenarios may name, in seconds (about 31 years). Keeping spans below it lets
/// sums of many of them stay within 64 bits.
inline constexpr double kMaxSeconds = 1e9;
/// The latest submission that a workload may have, in seconds since its begin (about 190 years): a little less than
/// 300 years are what an instant can count, and the schedule needs room behind the last submission.
inline constexpr double kMaxSubmitSeconds = 6e9;

/// t + d, stopping at kNever instead of overflowing. d must not be negative.
constexpr Time later(Time t, Duration d) {
  std::int64_t sum = 0;
  const bool beyond = __builtin_add_overflow(t.time_since_epoch().count(), d.count(), &sum);
  return beyond ? kNever : Time{Duration{sum}};
}

/// Seconds to nanoseconds, rounded to the nearest (halves away from zero). Beyond 292 years it is the longest Duration,
/// and 0 for what is no number; check input with kMaxSeconds first.
Duration from_seconds(double s);
/// Whole seconds to a duration, exactly.
constexpr Duration whole_seconds(std::int64_t s) { return Duration{s * 1'000'000'000}; }
/// Nanoseconds to seconds. Exact to the nanosecond only below about 104 days: for output use format_seconds.
double to_seconds(Duration d);
/// The instant as seconds since the epoch; same caveat as to_seconds.
double to_seconds(Time t);
/// An instant from seconds since the epoch.
inline Time at_seconds(double s) { return Time{from_seconds(s)}; }

/// Writes the exact decimal of d in seconds: "100", "0.25", "-3.000000001". Never an exponent. There is room for
/// kLongestSeconds characters; the result is behind the last one that was written.
char* write_seconds(char* to, Duration d);
inline constexpr std::size_t kLongestSeconds = 32;
/// Appends the same, and the character behind it, unless that is 0.
void append_seconds(std::string& out, Duration d, char behind = 0);
/// The exact decimal of d in seconds.
std::string format_seconds(Duration d);
/// For people, rounded: "1 d 02:03:04", "2 h 05 min", "3 min 07 s", "14.5 s", "250 ms", "12 us", "5 ns".
std::string human_duration(Duration d);

}  // namespace coslice

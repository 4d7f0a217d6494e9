// Time is an integer count of nanoseconds: no tolerances, no drift, the same on each machine.
// Files, Lua and the command line speak seconds; the engine speaks these two types.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

inline constexpr std::int64_t kNsPerSecond = 1'000'000'000, kSecondsPerDay = 86'400;

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

/// Converts seconds to nanoseconds, rounded to the nearest (halves away from zero). Beyond 292 years the result is the
/// longest Duration, for NaN it is 0; check input with kMaxSeconds first.
Duration from_seconds(double s);
/// Whole seconds to a duration, exactly.
constexpr Duration whole_seconds(std::int64_t s) { return Duration{s * kNsPerSecond}; }
/// Converts nanoseconds to seconds. Exact to the nanosecond only below about 104 days: for output use format_seconds.
inline double to_seconds(Duration d) { return static_cast<double>(d.count()) / 1e9; }
/// Returns the instant as seconds since the epoch; same caveat as to_seconds.
inline double to_seconds(Time t) { return to_seconds(t.time_since_epoch()); }
/// Returns an instant from seconds since the epoch.
inline Time at_seconds(double s) { return Time{from_seconds(s)}; }

/// Writes the exact decimal of d in seconds: "100", "0.25", "-3.000000001". Never an exponent. There is room for
/// kLongestSeconds characters; the result is behind the last one that was written.
char* write_seconds(char* to, Duration d);
inline constexpr std::size_t kLongestSeconds = 32;
/// Appends the same, and the character behind it, unless that is 0.
void append_seconds(std::string& out, Duration d, char behind = 0);
/// Returns the exact decimal of d in seconds.
std::string format_seconds(Duration d);
/// Returns a rounded text for people: "1 d 02:03:04", "2 h 05 min", "3 min 07 s", "14.5 s", "250 ms", "12 us", "5 ns".
std::string human_duration(Duration d);

/// [from, to).
struct TimeWindow {
  Time from, to;
  bool operator==(const TimeWindow&) const = default;
};
/// In order of time, without common instants.
using TimeWindows = std::vector<TimeWindow>;

/// The latest instant that others may name, in seconds since 1970 (in the year 2216): any span behind it still counts.
inline constexpr std::int64_t kMaxUnixSeconds = 7'776'000'000;

/// Returns `count` units of `unit_seconds` s, bounded to 0 to kMaxSeconds.
Duration outside_span(std::int64_t count, std::int64_t unit_seconds = 1);
/// Returns seconds since 1970 in nanoseconds; nothing before 1970 and behind kMaxUnixSeconds.
std::optional<std::int64_t> outside_instant(std::int64_t seconds);

// --- work that is done at changing speeds, exactly: a job that is slowed down, stopped and resumed a thousand times
// has done to the bit what it would have done at one go

/// How much work is done per nanosecond: 1 on dedicated nodes, less beside others. Fixed point.
class Rate {
 public:
  static constexpr int kBits = 40;
  constexpr Rate() = default;
  /// Returns the reciprocal of a slowdown above 2^-10 and below 2^20.
  static Rate of_slowdown(double slowdown) { return Rate(std::llround(static_cast<double>(kOne) / slowdown)); }
  constexpr std::int64_t fixed() const { return fixed_; }
  double value() const { return static_cast<double>(fixed_) / static_cast<double>(kOne); }
  bool operator==(const Rate&) const = default;

 private:
  static constexpr std::int64_t kOne = std::int64_t{1} << kBits;
  explicit constexpr Rate(std::int64_t fixed) : fixed_(fixed) {}
  std::int64_t fixed_ = kOne;
};

/// An amount of work: the time that it takes at rate 1, in 2^-40 ns.
class Work {
  __extension__ typedef __int128 Wide;

 public:
  constexpr Work() = default;
  /// What is done at rate 1 in that time.
  constexpr explicit Work(Duration d) : units_(static_cast<Wide>(d.count()) * (std::int64_t{1} << Rate::kBits)) {}
  /// Returns what is done at that rate in that time.
  static constexpr Work done(Duration d, Rate rate) { return Work(static_cast<Wide>(d.count()) * rate.fixed(), 0); }
  /// Longer than anything that is simulated, 146 years; two of it still fit into a Duration.
  static constexpr Duration kEndless = Duration::max() / 2;
  /// Returns how long this work takes at that rate, to the nearest nanosecond; 0 if there is nothing (or less) to do,
  /// and kEndless at most.
  constexpr Duration time_at(Rate rate) const {
    if (units_ <= 0) return Duration{0};
    const Wide rounded = units_ + rate.fixed() / 2;
    const Wide time = rate == Rate() ? rounded >> Rate::kBits : rounded / rate.fixed();  // 128 bits divide slowly
    return time < kEndless.count() ? Duration{static_cast<std::int64_t>(time)} : kEndless;
  }
  /// Returns `i` of `of` equal parts of it, rounded down. Precondition: 0 <= i <= of, of in 1 to 10^6.
  constexpr Work part(std::int64_t i, std::int64_t of) const { return Work(units_ * i / of, 0); }
  /// Returns dedicated seconds, for estimates.
  double seconds() const {
    return static_cast<double>(units_) / static_cast<double>(std::int64_t{1} << Rate::kBits) * 1e-9;
  }
  constexpr Work& operator+=(Work w) {
    units_ += w.units_;
    return *this;
  }
  constexpr Work& operator-=(Work w) {
    units_ -= w.units_;
    return *this;
  }
  friend constexpr Work operator+(Work a, Work b) { return a += b; }
  friend constexpr Work operator-(Work a, Work b) { return a -= b; }
  constexpr bool operator==(const Work& w) const { return units_ == w.units_; }
  constexpr bool operator<(const Work& w) const { return units_ < w.units_; }

 private:
  constexpr Work(Wide units, int) : units_(units) {}
  Wide units_ = 0;
};

// Dates and times of day as text, in the form of ISO 8601 that logs and accounting have.

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

// Work that is done at changing speeds, exactly: a job that is slowed down, stopped and resumed a thousand times has done
// to the bit what it would have done at one go.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/time.h"

namespace coslice {

/// How much work is done per nanosecond: 1 on dedicated nodes, less beside others. Fixed point.
class Rate {
 public:
  static constexpr int kBits = 40;
  constexpr Rate() = default;
  /// The reciprocal of a slowdown above 2^-10 and below 2^20.
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
  /// What is done at that rate in that time.
  static constexpr Work done(Duration d, Rate rate) { return Work(static_cast<Wide>(d.count()) * rate.fixed(), 0); }
  /// Longer than anything that is simulated, 146 years; two of it still fit into a Duration.
  static constexpr Duration kEndless = Duration::max() / 2;
  /// How long it takes at that rate, to the nearest nanosecond; 0 if there is nothing (or less) to do, and kEndless at
  /// most.
  constexpr Duration time_at(Rate rate) const {
    if (units_ <= 0) return Duration{0};
    const Wide time = (units_ + rate.fixed() / 2) / rate.fixed();
    return time < kEndless.count() ? Duration{static_cast<std::int64_t>(time)} : kEndless;
  }
  /// Dedicated seconds, for estimates.
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

}  // namespace coslice

// Which slice it is, and when productive time of a class will have passed on the wall clock.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "slices/slices.h"

namespace coslice {

class SliceClock {
 public:
  using Wants = std::function<bool(std::size_t job_class)>;
  static constexpr std::size_t kNoClass = ~std::size_t{0};

  /// `options` outlive it.
  explicit SliceClock(const SliceOptions& options)
      : options_(options), plan_(options), on_demand_time_(options.classes.size()) {}

  /// Sets the clock to the beginning of the interval of `first`.
  void begin(Time first) { now_ = first_interval_ = interval_of(first); }
  void advance(Time now) { now_ = now; }
  Time now() const { return now_; }

  /// Whether jobs make progress now: it is neither the end of a slice nor a time without slices.
  bool productive() const { return state_ == State::kProductive; }
  bool productive_for(std::size_t job_class) const { return productive() && slice_.job_class == job_class; }
  /// The slice it is, or was last.
  const Slice& slice() const { return slice_; }
  /// Productive time left in it.
  Duration rest() const { return slice_.productive_end - now_; }
  /// When the slice ends to be productive, or the next one may begin.
  Time boundary() const;

  /// How it goes on in this interval.
  const SlicePlan& plan() const { return plan_; }

  /// Begins the next slice, if the interval has one left. `wants` as for SlicePlan::next().
  bool open(const Wants& wants);
  /// An on-demand slice has nothing left to do: its productive part is over now.
  void cut_short();
  /// The end of the slice begins: its length counts for the means.
  void count_slice();
  /// Nothing is productive until the slice's end.
  void close() { state_ = State::kDead; }
  /// The class of the slice that would follow at once; kNoClass if none does.
  std::size_t class_after(const Wants& wants) const;

  /// A slice as the fixed shares make it, or an on-demand one as its class had them in the mean.
  struct Typical {
    Duration offset{0};  ///< from the beginning of the interval
    Duration productive{0};
  };
  Typical typical(std::size_t job_class) const;
  /// When so much productive time of the class will have passed, if slices to come are typical. kNever: never.
  Time after(std::size_t job_class, Duration productive) const;

 private:
  enum class State : std::uint8_t { kNone, kProductive, kDead };
  Time interval_of(Time t) const { return Time{(t.time_since_epoch() / options_.interval) * options_.interval}; }
  Duration mean_on_demand(std::size_t job_class) const;

  const SliceOptions& options_;
  SlicePlan plan_;
  State state_ = State::kNone;
  Slice slice_;
  Time now_{};
  Time first_interval_{};
  std::vector<Duration> on_demand_time_;  ///< by class: length of its on-demand slices so far, in all
};

}  // namespace coslice

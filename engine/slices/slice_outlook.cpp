#include "slices/slice_outlook.h"

namespace coslice {

SliceOutlook::SliceOutlook(const SliceOptions& options, const SliceClock& clock) : options_(options), clock_(clock) {
  SliceOptions fixed;
  fixed.interval = options.interval;
  fixed.overhead = options.overhead;
  fixed.classes = options.classes;
  for (std::size_t c = 0; c != options.classes.size(); ++c) {
    least_.push_back(turn(fixed, c, Others::kLongest));
    most_.push_back(turn(fixed, c, Others::kNone));
  }
}

SliceClock::Wants SliceOutlook::wants(std::size_t job_class, Others others) const {
  return [=](std::size_t c) { return c == job_class || others == Others::kLongest; };
}

SliceOutlook::Turn SliceOutlook::turn(const SliceOptions& fixed, std::size_t job_class, Others others) const {
  SlicePlan plan(fixed);
  Slice slice;
  for (Time t{}; t < Time{fixed.interval} && plan.next(t, wants(job_class, others), slice); t = slice.end)
    if (slice.job_class == job_class) return {slice.begin - Time{}, slice.productive_end - slice.begin};
  return {};
}

TimeWindow SliceOutlook::in_time_of(std::size_t job_class, const TimeWindow& wall, Time now, const Rest& rest) const {
  if (clock_.endless()) return wall;
  const Time begin = std::max(wall.from, clock_.now());
  const bool has_slices = most_[job_class].productive > Duration{0};
  const Time from = later(now, has_slices ? at_least(job_class, begin, rest) : begin - clock_.now());
  return {from, std::max(later(now, at_most(job_class, wall.to, rest)), later(from, Duration{1}))};
}

/// In what is left of this interval, until `wall`.
Duration SliceOutlook::in_interval(std::size_t job_class, Time wall, Others others) const {
  const Time now = clock_.now();
  Duration sum{0};
  Time t = std::max(now, clock_.boundary());  // when the next slice may begin
  if (clock_.productive()) {
    const Slice& slice = clock_.slice();
    if (slice.job_class == job_class) sum = std::max(Duration{0}, std::min(wall, slice.productive_end) - now);
    const bool may_end = options_.classes[slice.job_class].on_demand && others == Others::kNone;
    t = may_end && slice.job_class != job_class ? std::min(slice.end, later(now, options_.overhead)) : slice.end;
  }
  SlicePlan plan = clock_.plan();
  for (Slice slice; t < std::min(wall, plan.interval_end()) && plan.next(t, wants(job_class, others), slice);
       t = slice.end)
    if (slice.job_class == job_class) sum += std::max(Duration{0}, std::min(wall, slice.productive_end) - slice.begin);
  return sum;
}

/// From the next interval on. Precondition: it begins before `wall`.
Duration SliceOutlook::beyond(std::size_t job_class, Time wall, Others others) const {
  const Time next = next_interval();
  const Turn& turn = (others == Others::kLongest ? least_ : most_)[job_class];
  const auto whole = (wall - next) / options_.interval;
  const Duration rest = (wall - next) % options_.interval;
  return whole * turn.productive + std::clamp(rest - turn.offset, Duration{0}, turn.productive);
}

}  // namespace coslice

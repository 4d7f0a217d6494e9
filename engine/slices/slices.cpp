#include "slices/slices.h"

#include "core/error.h"

namespace coslice {

std::size_t class_of_estimate(const std::vector<SliceClass>& classes, Duration estimate) {
  for (std::size_t c = 0; c + 1 < classes.size(); ++c)
    if (estimate <= classes[c].up_to) return c;
  return classes.size() - 1;
}

void SlicePlan::begin_interval(Time now) {
  const Time begin{(now.time_since_epoch() / options_.interval) * options_.interval};
  if (begin > kNever - options_.interval)
    throw SimulationError("the schedule reaches beyond the 292 years that can be counted in nanoseconds");
  interval_end_ = begin + options_.interval;
  turn_ = 0;
  shares_.clear();
  if (options_.shares) shares_ = options_.shares(now, options_.demand ? options_.demand() : std::vector<ClassDemand>{});
  else
    for (const SliceClass& c : options_.classes) shares_.push_back(c.share);
}

Duration SlicePlan::length(std::size_t c, Duration left) const {
  const SliceClass& job_class = options_.classes[c];
  if (job_class.on_demand) return std::min(left, job_class.longest + options_.overhead);
  if (shares_[c] <= 0) return Duration{0};
  double others = 0;
  for (std::size_t i = c + 1; i != options_.classes.size(); ++i)
    if (!options_.classes[i].on_demand) others += shares_[i];
  if (others <= 0) return left;  // the last one takes all that is left, to the nanosecond
  return from_seconds(to_seconds(left) * (shares_[c] / (shares_[c] + others)));
}

bool SlicePlan::next(Time now, const std::function<bool(std::size_t)>& wants, Slice& slice) {
  if (now >= interval_end_) begin_interval(now);
  while (turn_ != options_.classes.size()) {
    const std::size_t c = turn_++;
    if (options_.classes[c].on_demand && !wants(c)) continue;
    const Duration time = length(c, interval_end_ - now);
    if (time <= options_.overhead) continue;
    slice = {c, now, now + (time - options_.overhead), now + time};
    return true;
  }
  return false;
}

std::size_t SliceClock::class_after(const Wants& wants) const {
  SlicePlan plan = plan_;
  Slice next;
  if (plan.next(slice_.end, wants, next)) return next.job_class;
  return plan.interval_end() == slice_.end && plan.next(slice_.end, wants, next) ? next.job_class : kNoClass;
}

Time SliceClock::after(std::size_t c, Duration productive) const {
  if (endless()) return later(now_, productive);
  Time t = std::max(now_, from_);
  if (productive_for(c)) {
    if (productive <= rest()) return now_ + productive;
    productive -= rest();
    t = slice_.end;
  }
  const Typical slice = typical(c);
  if (slice.productive <= Duration{0}) return kNever;
  // In this interval the class's turn may still come; else in the next one.
  const Time turn = later(interval_of(t), slice.offset);
  const Time first = turn >= t ? turn : later(turn, options_.interval);
  const auto whole = (productive.count() - 1) / slice.productive.count();
  const Duration last = productive - whole * slice.productive;
  if (whole > (kNever - first) / options_.interval) return kNever;
  return later(first + whole * options_.interval, last);
}

SliceClock::Typical SliceClock::typical(std::size_t c) const {
  double sum = 0;
  for (const SliceClass& s : options_.classes) sum += s.on_demand ? 0 : s.share;
  Duration demanded{0};
  for (std::size_t i = 0; i != options_.classes.size(); ++i)
    if (options_.classes[i].on_demand) demanded += mean_on_demand(i);
  Typical typical;
  for (std::size_t i = 0; i <= c; ++i) {
    const SliceClass& s = options_.classes[i];
    const double share = sum > 0 ? s.share / sum : 0;
    const Duration length =
        s.on_demand ? mean_on_demand(i) : from_seconds(to_seconds(options_.interval - demanded) * share);
    // A slice on demand lasts as long as its jobs need it.
    if (i == c) typical.productive = s.on_demand ? s.longest : length - options_.overhead;
    else typical.offset += length;
  }
  return typical;
}

}  // namespace coslice

#include "slices/slice_clock.h"

namespace coslice {

Time SliceClock::boundary() const {
  switch (state_) {
    case State::kProductive: return slice_.productive_end;
    case State::kDead: return slice_.end;
    case State::kNone: break;
  }
  return plan_.interval_end();
}

bool SliceClock::open(const Wants& wants) {
  const bool opened = plan_.next(now_, wants, slice_);
  state_ = opened ? State::kProductive : State::kNone;
  return opened;
}

void SliceClock::cut_short() {
  slice_.productive_end = now_;
  slice_.end = later(now_, options_.overhead);
}

void SliceClock::count_slice() {
  const std::size_t c = slice_.job_class;
  if (options_.classes[c].on_demand) on_demand_time_[c] += slice_.end - slice_.begin;
}

std::size_t SliceClock::class_after(const Wants& wants) const {
  SlicePlan plan = plan_;
  Slice next;
  if (plan.next(slice_.end, wants, next)) return next.job_class;
  return plan.interval_end() == slice_.end && plan.next(slice_.end, wants, next) ? next.job_class : kNoClass;
}

Time SliceClock::after(std::size_t c, Duration productive) const {
  Time t = now_;
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

Duration SliceClock::mean_on_demand(std::size_t c) const {
  const std::int64_t intervals = 1 + (now_.time_since_epoch() - first_interval_.time_since_epoch()) / options_.interval;
  return on_demand_time_[c] / intervals;
}

}  // namespace coslice

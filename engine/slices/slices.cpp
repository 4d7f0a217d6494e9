#include "slices/slices.h"

#include <cmath>

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

double SlicePlan::shares_from(std::size_t c) const {
  double sum = 0;
  for (; c != options_.classes.size(); ++c)
    if (!options_.classes[c].on_demand) sum += shares_[c];
  return sum;
}

Duration SlicePlan::length(std::size_t c, Duration left) const {
  const SliceClass& job_class = options_.classes[c];
  if (job_class.on_demand) return std::min(left, job_class.longest + options_.overhead);
  const double others = shares_from(c + 1);
  if (shares_[c] <= 0) return Duration{0};
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

}  // namespace coslice

// When jobs that hold nodes have to be gone: by their limits, and by the reservations that they name.
#include <algorithm>

#include "run/running_jobs.h"

namespace coslice {

/// For how long it may run on beyond its limit.
Duration RunningJobs::overtime(const StartedJob& job) const {
  const std::int32_t partition = demands_ == nullptr ? -1 : demands_->unit(job.unit).partition;
  Duration all = options_.over_limit;
  if (partition >= 0) all = demands_->layout().partitions[static_cast<std::size_t>(partition)].over_limit.value_or(all);
  return std::max(all - times_.beyond_limit(job.index), Duration{0});  // what it did then is not granted again
}

/// When the job has to be gone, by the clock, because the reservation is over that it names; where limits are looked at
/// now and then, at the first look after that; where they end no job, neither do reservations.
Time RunningJobs::reservation_over(const StartedJob& job) const {
  const std::int32_t only = demands_ == nullptr ? -1 : demands_->only(job.index);
  if (only < 0 || options_.at_limit != AtLimit::kKill) return kNever;
  const TimeWindows& windows = demands_->reservations()[static_cast<std::size_t>(only)].windows;
  const auto in = std::ranges::find_if(windows, [&](const TimeWindow& w) { return w.to > job.start; });
  if (in == windows.end() || in->from > job.start || in->to == kNever) return kNever;
  return std::max(options_.killed_at(in->to), now());
}

/// When a job that is told to end then is gone at last.
Time RunningJobs::gone_at_last(const StartedJob& job, Time told) const {
  return std::min(later(told, options_.kill_wait), reservation_over(job));
}

/// When the job's limit is over.
Time RunningJobs::limit_over(const StartedJob& job) const {
  if (!limits_are_work()) return std::min(time_over(job, times_.limit(job.index)), reservation_over(job));
  const Work done = Work(times_.runtime(job.index)) - job.work_left;
  const Duration left = (Work(times_.limit(job.index) + overtime(job)) - done).time_at(job.rate);
  return std::min(options_.killed_at(later(std::max(job.since, now()), left)), reservation_over(job));
}

/// When that time of the job and what it may run beyond it are over, outside time slices; one that was resized has a
/// limit of work. Time passes neither while its nodes come up nor while it is suspended, and looks at it then find
/// nothing.
Time RunningJobs::time_over(const StartedJob& job, Duration time) const {
  const JobIndex j = job.index;
  if (is_elastic(j) && told_.count(j) != 0) return options_.killed_at(work_over(job, overtime(job)));
  if (!suspended_) return options_.killed_at(later(job.start, time + overtime(job) + boot_of(j)));
  if (const Time told = suspended_->told(j, now()); told != kNever) return told;
  const Duration stopped = suspended_->time_suspended(j, now());
  const Time look = options_.killed_at(later(job.start, time + overtime(job) + boot_of(j) + stopped));
  return options_.limit_check ? std::max(look, options_.killed_at(suspended_->went_on(j))) : look;
}

/// When the job was told that its limit is over and is in the wait for a kill, outside time slices; kNever: it is not.
Time RunningJobs::told_before(const StartedJob& job) const {
  if (limits_are_work() || options_.at_limit != AtLimit::kKill || options_.kill_wait == Duration{0}) return kNever;
  const Time told = time_over(job, times_.limit(job.index));
  return told <= now() ? told : kNever;
}

/// When the job is told that its limit is over: the wait for a kill passes by the clock from then on, whatever slices
/// begin and whether it runs or not.
Time RunningJobs::told_to_end(const StartedJob& job) {
  const Time last = limit_over(job);
  const bool may_move = limits_are_work() ? options_.kill_wait != Duration{0} : told_.count(job.index) != 0;
  if (!may_move) return last;
  Time& told = told_.try_emplace(job.index, kNever).first->second;
  if (told > now()) told = last;
  return told;
}

/// It does not get on: its limit will be over later.
void RunningJobs::stands_still(const StartedJob& job) {
  if (told_.empty()) return;
  const auto told = told_.find(job.index);
  if (told == told_.end() || told->second <= now()) return;
  if (limits_are_work()) told_.erase(told);
  else told->second = kNever;
}

}  // namespace coslice

// Jobs that were asked to stop and have a grace left.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sched/view.h"

namespace coslice {

/// When a job stops that is asked to now: when its grace is over, and its checkpoint written.
inline Time time_of_stop(Time now, const StopOrder& order) {
  const bool writes = order.how == StopOrder::How::kCheckpoint;
  return later(now, writes ? std::max(order.grace, order.checkpoint.cost) : order.grace);
}

class PendingStops {
 public:
  struct Stop {
    Time time;
    std::uint64_t sequence;
    StartedJob* job;
    JobIndex index;  ///< of the run that was meant, as is the next one
    Time start;
    StopOrder order;
    bool operator>(const Stop& o) const { return time != o.time ? time > o.time : sequence > o.sequence; }
  };

  /// kNever: none is to stop.
  Time next_time() const { return stops_.empty() ? kNever : stops_.front().time; }
  /// The job is to stop at t, which is before the time at which it was to so far.
  void add(StartedJob& job, Time t, const StopOrder& order) {
    job.leaves = t;
    job.leaves_for = order.for_job;
    stops_.push_back({t, sequence_++, &job, job.index, job.start, order});
    std::push_heap(stops_.begin(), stops_.end(), std::greater<>{});
  }
  /// The next job whose grace is over by `now`, in the order in which they were asked. It may have ended or failed since,
  /// and its entry may stand for another run; or it was asked to stop earlier: those are left out.
  std::optional<Stop> take(Time now) {
    while (!stops_.empty() && stops_.front().time <= now) {
      std::pop_heap(stops_.begin(), stops_.end(), std::greater<>{});
      const Stop stop = stops_.back();
      stops_.pop_back();
      const StartedJob& job = *stop.job;
      if (job.index == stop.index && job.start == stop.start && job.leaves == stop.time) return stop;
    }
    return std::nullopt;
  }

 private:
  std::vector<Stop> stops_;  ///< heap, earliest first
  std::uint64_t sequence_ = 0;
};

}  // namespace coslice

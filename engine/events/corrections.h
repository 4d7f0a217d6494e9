// When jobs will be found to run for longer than they were believed to.
#pragma once

#include <array>

#include "events/event_queues.h"

namespace coslice {

class Corrections {
 public:
  /// Returns by how much an estimate grows that was too short: the first time, the second, ... (Tsafrir, Etsion &
  /// Feitelson 2007)
  static Duration step(std::size_t times) {
    static constexpr std::array<Duration, 11> kSteps = {
        whole_seconds(60),        whole_seconds(5 * 60),    whole_seconds(15 * 60),   whole_seconds(30 * 60),
        whole_seconds(3600),      whole_seconds(2 * 3600),  whole_seconds(5 * 3600),  whole_seconds(10 * 3600),
        whole_seconds(20 * 3600), whole_seconds(50 * 3600), whole_seconds(100 * 3600)};
    return kSteps[std::min(times, kSteps.size() - 1)];
  }

  /// Returns when the next job is found; kNever: none will be.
  Time next_time() const {
    while (!events_.empty() && is_void(events_.first())) events_.pop();
    return events_.next_time();
  }
  /// Notes that the running job will have outrun its estimate at t, unless its next event becomes another one before.
  void add(StartedJob& job, Time t) { events_.push({t, &job, job.index, job.version}); }
  /// Takes the next job out that is found by `now`; null if there is none. Jobs of one instant come in order of their
  /// index.
  StartedJob* take(Time now) { return next_time() <= now && !events_.empty() ? events_.pop().job : nullptr; }

 private:
  struct Event {
    Time time;
    StartedJob* job;
    JobIndex index;
    std::uint32_t version;
    bool operator>(const Event& o) const { return time != o.time ? time > o.time : index > o.index; }
  };
  static bool is_void(const Event& e) { return e.job->version != e.version; }

  mutable EventHeap<Event> events_;
};

}  // namespace coslice

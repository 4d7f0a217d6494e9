// What happens at instants that are known ahead, the earliest first: ends of jobs, stops of jobs that have a grace
// left, and what becomes of reservations of nodes. The order between these queues is order_at_instant.h.
#pragma once

#include <array>
#include <tuple>

#include "jobs/node_reservation.h"
#include "schedule/hosted_view.h"

namespace coslice {

/// A heap of events, which have a time; `operator>` says which of one instant comes first.
template <class Event>
class EventHeap {
 public:
  bool empty() const { return events_.empty(); }
  /// Returns the instant of the first event; kNever if there is none.
  Time next_time() const { return events_.empty() ? kNever : events_.front().time; }
  /// Returns the first event. Precondition: there is one.
  const Event& first() const { return events_.front(); }
  void push(const Event& e) {
    events_.push_back(e);
    std::push_heap(events_.begin(), events_.end(), std::greater<>{});
  }
  /// Takes the first event out. Precondition: there is one.
  Event pop() {
    std::pop_heap(events_.begin(), events_.end(), std::greater<>{});
    const Event first = events_.back();
    events_.pop_back();
    return first;
  }
  /// Removes the events for which f(event) holds.
  template <class F>
  void forget(F&& f) {
    std::erase_if(events_, f);
    std::make_heap(events_.begin(), events_.end(), std::greater<>{});
  }

 private:
  std::vector<Event> events_;
};

/// When running jobs will have done what they do now: their work, or the loading of their memory. A job has one valid
/// event at most: its version voids all older ones, which stay in the heap.
class EndQueue {
 public:
  struct End {
    Time time;
    std::uint64_t rank;  ///< of addition, of ends of loading behind all others
    StartedJob* job;
    std::uint32_t version;

    bool is_void() const { return version != job->version; }
    /// Returns whether loading ends, not the job.
    bool load() const { return (rank & kLoads) != 0; }
    bool operator>(const End& o) const { return time != o.time ? time > o.time : rank > o.rank; }
  };

  /// Returns the instant of the first event, valid or void; kNever if there is none.
  Time next_time() const { return ends_.next_time(); }
  /// Replaces the job's event. At one instant ends of jobs come before ends of loading, each in the order of their
  /// addition. Throws SimulationError if t is kNever.
  void add(StartedJob& job, Time t, bool load = false) {
    if (t == kNever)
      throw SimulationError("the schedule reaches beyond the 292 years that can be counted in nanoseconds");
    job.next_event = t;
    ends_.push({t, added_++ | (load ? kLoads : 0), &job, ++job.version});
  }
  /// Forgets events that became void before they came up, as far as they are the first.
  void drop_void() {
    while (!ends_.empty() && ends_.first().is_void()) ends_.pop();
  }
  /// Takes the first event out. Precondition: there is one.
  End pop() { return ends_.pop(); }

 private:
  static constexpr std::uint64_t kLoads = std::uint64_t{1} << 63;

  EventHeap<End> ends_;
  std::uint64_t added_ = 0;
};

/// Returns when a job stops that is asked to now: when its grace is over, and its checkpoint written.
inline Time time_of_stop(Time now, const StopOrder& order) {
  const bool writes = order.how == StopOrder::How::kCheckpoint;
  return later(now, writes ? std::max(order.grace, order.checkpoint.cost) : order.grace);
}

/// Jobs that were asked to stop and have a grace left.
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

  /// Returns when the next job is to stop; kNever: none is.
  Time next_time() const { return stops_.next_time(); }
  /// Notes that the job is to stop at t, which is before the time at which it was to stop so far.
  void add(StartedJob& job, Time t, const StopOrder& order) {
    job.leaves = t;
    job.leaves_for = order.for_job;
    stops_.push({t, sequence_++, &job, job.index, job.start, order});
  }
  /// Returns the next job whose grace is over by `now`, in the order in which they were asked. It may have ended or
  /// failed since, and its entry may stand for another run; or it was asked to stop earlier: those are left out.
  std::optional<Stop> take(Time now) {
    while (!stops_.empty() && stops_.next_time() <= now) {
      const Stop stop = stops_.pop();
      const StartedJob& job = *stop.job;
      if (job.index == stop.index && job.start == stop.start && job.leaves == stop.time) return stop;
    }
    return std::nullopt;
  }

 private:
  EventHeap<Stop> stops_;
  std::uint64_t sequence_ = 0;
};

/// When reservations of nodes become known, begin and end.
class ReservationClock {
 public:
  /// At one instant, windows end, then reservations become known, then windows begin.
  enum class Kind : std::uint8_t { kEnd, kLastEnd, kAnnounced, kBegin };
  struct Event {
    Time time;
    Kind kind;
    std::int32_t reservation;  ///< by number
    bool operator>(const Event& o) const {
      return std::tie(time, kind, reservation) > std::tie(o.time, o.kind, o.reservation);
    }
  };

  /// Collects what happens to reservations of nodes after `start`.
  ReservationClock(const NodeReservations& all, Time start) {
    for (std::size_t r = 0; r != all.size(); ++r) {
      const auto add = [&](Time t, Kind kind) {
        if (t > start) events_.push({t, kind, static_cast<std::int32_t>(r)});
      };
      if (all[r].windows.empty()) continue;
      if (all[r].announced < all[r].last_end()) add(all[r].announced, Kind::kAnnounced);
      for (const TimeWindow& w : all[r].windows) {
        add(w.from, Kind::kBegin);
        add(w.to, w.to == all[r].last_end() ? Kind::kLastEnd : Kind::kEnd);
      }
    }
  }

  /// Returns when something happens next; kNever: nothing more.
  Time next_time() const { return events_.next_time(); }
  /// Returns the next event that is due by `now`.
  std::optional<Event> take(Time now) {
    if (events_.empty() || next_time() > now) return std::nullopt;
    return events_.pop();
  }

 private:
  EventHeap<Event> events_;
};

// When jobs will have outrun their estimates.

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
  Time next_time() const { return std::min(next_valid(events_), next_valid(at_limits_)); }
  /// Returns the same without those that are expected to end by then at the latest.
  Time next_before_limit() const { return next_valid(events_); }
  /// Notes that the running job will have outrun its estimate at t, unless its next event becomes another one before.
  void add(StartedJob& job, Time t) { events_.push({t, &job, job.index, job.version}); }
  /// The same of a job whose limit is over at t, and that something else ends.
  void add_at_limit(StartedJob& job, Time t) { at_limits_.push({t, &job, job.index, job.version}); }
  /// Takes the next job out that is found by `now`; null if there is none. Jobs of one instant come in order of their
  /// index.
  StartedJob* take(Time now) {
    if (next_time() > now || (events_.empty() && at_limits_.empty())) return nullptr;
    const bool limit = events_.empty() || (!at_limits_.empty() && events_.first() > at_limits_.first());
    return (limit ? at_limits_ : events_).pop().job;
  }

 private:
  struct Event {
    Time time;
    StartedJob* job;
    JobIndex index;
    std::uint32_t version;
    bool operator>(const Event& o) const { return time != o.time ? time > o.time : index > o.index; }
  };
  static bool is_void(const Event& e) { return e.job->version != e.version; }
  static Time next_valid(EventHeap<Event>& events) {
    while (!events.empty() && is_void(events.first())) events.pop();
    return events.next_time();
  }

  mutable EventHeap<Event> events_;
  mutable EventHeap<Event> at_limits_;  ///< empty where jobs end as they are simulated
};

}  // namespace coslice

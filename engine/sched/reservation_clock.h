// When reservations of nodes become known, begin and end.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "workload/node_reservation.h"

namespace coslice {

class ReservationClock {
 public:
  /// At one instant, windows end, then reservations become known, then windows begin.
  enum class Kind : std::uint8_t { kEnd, kLastEnd, kAnnounced, kBegin };
  struct Event {
    Time time;
    Kind kind;
    std::int32_t reservation;  ///< by number
  };

  /// What happens after `start`.
  ReservationClock(const NodeReservations& all, Time start);

  /// kNever: nothing more.
  Time next_time() const { return next_ == events_.size() ? kNever : events_[next_].time; }
  /// The next event that is due by `now`.
  std::optional<Event> take(Time now) {
    if (next_time() > now || next_ == events_.size()) return std::nullopt;
    return events_[next_++];
  }

 private:
  std::vector<Event> events_;  ///< in order
  std::size_t next_ = 0;
};

}  // namespace coslice

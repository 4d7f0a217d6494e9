#include "sched/reservation_clock.h"

#include <algorithm>
#include <tuple>

namespace coslice {

ReservationClock::ReservationClock(const NodeReservations& all, Time start) {
  for (std::size_t r = 0; r != all.size(); ++r) {
    const auto add = [&](Time t, Kind kind) {
      if (t > start) events_.push_back({t, kind, static_cast<std::int32_t>(r)});
    };
    if (all[r].windows.empty()) continue;
    if (all[r].announced < all[r].last_end()) add(all[r].announced, Kind::kAnnounced);
    for (const TimeWindow& w : all[r].windows) {
      add(w.from, Kind::kBegin);
      add(w.to, w.to == all[r].last_end() ? Kind::kLastEnd : Kind::kEnd);
    }
  }
  const auto place = [](const Event& e) { return std::tuple(e.time, e.kind, e.reservation); };
  std::sort(events_.begin(), events_.end(), [&](const Event& a, const Event& b) { return place(a) < place(b); });
}

}  // namespace coslice

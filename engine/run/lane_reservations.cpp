#include "run/lane_reservations.h"

#include <algorithm>

namespace coslice {

LaneReservations::LaneReservations(const JobDemands& demands, Time start, const SliceOptions& slices,
                                   const SliceClock& clock, Lanes& classes)
    : demands_(demands), all_(demands.reservations()), start_(start), interval_(slices.interval), clock_(clock),
      classes_(classes), outlook_(slices, clock), events_(all_, start) {
  if (clock_.endless()) return;
  for (Lane& c : classes)
    if (c.ledger) c.ledger->ignore_windows();
}

/// Whether the ledger of the only lane has the windows themselves.
bool LaneReservations::in_ledger() const { return clock_.endless() && classes_.front().ledger != nullptr; }

void LaneReservations::plan() {
  if (in_ledger()) return;
  for (std::size_t r = 0; r != all_.size(); ++r) {
    const auto number = static_cast<std::int32_t>(r);
    if (all_[r].last_end() <= start_) continue;
    // Where nodes are counted, no job that can run names one.
    for (std::size_t a = 0; classes_.front().ledger && a != demands_.accesses().size(); ++a)
      if (demands_.accesses()[a].only == number) add_gaps(number, static_cast<std::int32_t>(a));
    if (all_[r].announced <= start_) add(number);
  }
  look_again();
}

/// The reservation is known: its windows are closed to some jobs.
void LaneReservations::add(std::int32_t reservation) {
  const NodeReservation& r = all_[static_cast<std::size_t>(reservation)];
  for (Lane& c : classes_) c.view.know_reservation(reservation);
  for (std::size_t a = 0; a != demands_.accesses().size(); ++a) {
    if (!classes_.front().ledger && static_cast<std::int32_t>(a) != demands_.only_access()) continue;
    const NodeAccess& access = demands_.accesses()[a];
    if (access.only == reservation || access.to[static_cast<std::size_t>(reservation)] != NodeAccess::To::kClosed)
      continue;
    for (const TimeWindow& w : r.windows)
      if (w.to > std::max(start_, clock_.now())) closed_.push_back({reservation, static_cast<std::int32_t>(a), w});
  }
}

/// To jobs that run in it only its nodes are closed between its windows; and for so long after the last one that no
/// such job reaches beyond it, so that each has a first time at which it would fit: it is rejected before.
void LaneReservations::add_gaps(std::int32_t reservation, std::int32_t access) {
  const NodeReservation& r = all_[static_cast<std::size_t>(reservation)];
  Time from = Time::min();
  for (const TimeWindow& w : r.windows) {
    if (w.from > start_) closed_.push_back({reservation, access, {from, w.from}});
    from = w.to;
  }
  closed_.push_back({reservation, access, {from, from}, r.longest()});
}

bool LaneReservations::handle() {
  bool any = false, known = false;
  while (const std::optional<ReservationClock::Event> event = events_.take(clock_.now())) {
    any = true;
    if (event->kind == ReservationClock::Kind::kAnnounced) {
      known = true;
      if (in_ledger()) classes_.front().view.announce_reservation(event->reservation);
      else add(event->reservation);
    }
    if (event->kind != ReservationClock::Kind::kLastEnd) continue;
    if (in_ledger()) classes_.front().view.forget_reservation(event->reservation);
    over_.push_back(event->reservation);
  }
  if (!any) return false;
  for (Lane& c : classes_) c.ended = true;  // there is a pass for each, as when a job has ended
  if (in_ledger()) return true;
  drop_over();
  if (known) look_again();
  return true;
}

void LaneReservations::drop_over() {
  const auto first =
      std::stable_partition(closed_.begin(), closed_.end(), [&](const Closed& x) { return x.wall.to > clock_.now(); });
  for (std::size_t c = 0; c != classes_.size(); ++c) {
    std::vector<KeptOff> over;
    for (auto x = first; x != closed_.end(); ++x)
      if (!x->planned.empty()) over.push_back(kept_off(*x, x->planned[c]));
    if (!over.empty()) classes_[c].view.plan_kept_off(over, {});
  }
  closed_.erase(first, closed_.end());
}

LaneReservations::KeptOff LaneReservations::kept_off(const Closed& closed, const TimeWindow& window) const {
  return {all_[static_cast<std::size_t>(closed.reservation)].nodes, window.from, window.to, closed.access};
}

void LaneReservations::look_again() {
  for (std::size_t c = 0; c != classes_.size(); ++c) {
    const Time now = classes_[c].view.now();
    const SliceOutlook::Rest rest = outlook_.rest(c);
    std::vector<KeptOff> over, to_come;
    for (Closed& closed : closed_) {
      TimeWindow w = outlook_.in_time_of(c, closed.wall, now, rest);
      w.to = later(w.to, closed.more);
      if (closed.planned.size() == classes_.size()) {
        const TimeWindow& old = closed.planned[c];
        // What has begun stays as it began.
        const bool has_begun = w.from == now && old.from <= now;
        const bool holds = old.from <= w.from && w.to <= old.to;
        const FarBounds far{now, interval_};
        if (holds && (has_begun || far.near_enough(old.from, w.from)) && far.near_enough(old.to, w.to)) continue;
        over.push_back(kept_off(closed, old));
        closed.planned[c] = w;
      } else {
        closed.planned.push_back(w);
      }
      to_come.push_back(kept_off(closed, w));
    }
    if (!to_come.empty()) classes_[c].view.plan_kept_off(over, to_come);
  }
}

bool LaneReservations::too_late(JobIndex j) const {
  const std::int32_t only = demands_.only(j);
  return only >= 0 && all_[static_cast<std::size_t>(only)].last_end() <= clock_.now();
}

}  // namespace coslice

// Reservations of nodes for users. Without slices a ledger has their windows. Else these are times of another clock
// than the ledger's: what keeps jobs of a class off reserved nodes stands in the ledger of the class, in its own time
// (SliceOutlook), for all jobs that stand to reservations alike (NodeAccess): never shorter than it can turn out to be.
// Each slice that begins looks again.
#pragma once

#include <utility>
#include <vector>

#include "events/event_queues.h"
#include "schedule/lane.h"
#include "slices/slice_outlook.h"

namespace coslice {

class LaneReservations {
 public:
  /// Makes the reservations of nodes of a sliced run. All references outlive it; `demands` know the reservations. What
  /// is over before `start` is left out.
  LaneReservations(const JobDemands& demands, Time start, const SliceOptions& slices, const SliceClock& clock,
                   Lanes& classes);

  /// Returns when something happens next.
  Time next_time() const { return events_.next_time(); }
  /// Plans what is known from the beginning. Called when the schedulers have begun.
  void plan();
  /// Handles what happens now: windows end, become known and begin. Returns whether anything did.
  bool handle();
  /// Finds again where windows lie in the time of each class, after a slice has begun.
  void look_again();
  /// Returns the reservations that are over for good since this was asked last, by number.
  std::vector<std::int32_t> take_over() { return std::exchange(over_, {}); }
  /// Returns whether the job runs in a reservation only that is over for good.
  bool too_late(JobIndex j) const;

 private:
  using KeptOff = HostedView::KeptOff;
  /// A time in which jobs with some access are kept off the nodes of a reservation.
  struct Closed {
    std::int32_t reservation;
    std::int32_t access;
    TimeWindow wall;
    Duration more{0};                   ///< in the time of each class, after its end
    std::vector<TimeWindow> planned{};  ///< by class, in its time; empty: not yet
  };
  bool in_ledger() const;
  void add(std::int32_t reservation);
  void add_gaps(std::int32_t reservation, std::int32_t access);
  void drop_over();
  KeptOff kept_off(const Closed& closed, const TimeWindow& window) const;

  const JobDemands& demands_;
  const NodeReservations& all_;
  Time start_;
  Duration interval_;
  const SliceClock& clock_;
  Lanes& classes_;
  SliceOutlook outlook_;
  ReservationClock events_;
  std::vector<Closed> closed_;
  std::vector<std::int32_t> over_;
};

}  // namespace coslice

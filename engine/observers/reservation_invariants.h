// Watches a run in which nodes are reserved: no job on them but those entitled to them, and jobs that name a reservation in it only.
#pragma once

#include <string>
#include <vector>

#include "sched/observer.h"
#include "workload/node_reservation.h"

namespace coslice {

class ReservationInvariants : public Observer {
 public:
  /// How jobs of others keep clear of a window that is still to come.
  enum class Before : std::uint8_t {
    kLimits,     ///< by their limits they end before it
    kEnds,       ///< they have ended before it, however long they took: under time slices
    kEstimates,  ///< by what the policy believes, which is not known here
  };
  /// Both references outlive it.
  ReservationInvariants(const std::vector<Job>& jobs, const NodeReservations& reservations, Before before)
      : jobs_(jobs), reservations_(reservations), before_(before), start_(jobs.size(), kNever) {}

  void started(Time t, JobIndex j, const NodeRanges& nodes) override;
  void ended(Time t, JobIndex j, const NodeRanges& nodes, bool) override { check_end(t, j, nodes); }
  void interrupted(Time t, JobIndex j, const NodeRanges& nodes, const Interruption&) override { check_end(t, j, nodes); }

  /// What went wrong, in order; empty if nothing did. At most 20 are kept.
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  void check(Time t, JobIndex j, const NodeRanges& nodes, const NodeReservation& r, NodeAccess::To to);
  void check_end(Time t, JobIndex j, const NodeRanges& nodes);
  void check_own(Time t, JobIndex j, const NodeRanges& nodes, const NodeReservation& r);
  void complain(Time t, JobIndex j, const std::string& what, const NodeReservation& r);

  const std::vector<Job>& jobs_;
  const NodeReservations& reservations_;
  Before before_;
  std::vector<Time> start_;  ///< by JobIndex
  std::vector<std::string> violations_;
};

}  // namespace coslice

// When jobs run on reserved nodes, where they do not run from their start to their end.
#pragma once

#include <vector>

#include "observers/result.h"
#include "sched/observer.h"
#include "workload/node_reservation.h"

namespace coslice {

class ReservedTime : public Observer {
 public:
  /// The reservations outlive it.
  ReservedTime(const NodeReservations& reservations, std::size_t jobs) : reservations_(reservations), since_(jobs, kNever) {}

  void started(Time t, JobIndex j, const NodeRanges&) override { since_[j] = t; }
  void resumed(Time t, JobIndex j, const NodeRanges& nodes) override;
  void preempted(Time t, JobIndex j) override;
  void ended(Time t, JobIndex j, const NodeRanges& nodes, bool) override { leave(t, j, nodes); }
  void interrupted(Time t, JobIndex j, const NodeRanges& nodes, const Interruption&) override { leave(t, j, nodes); }

  /// Everything recorded, once, after the run.
  std::vector<ReservedPiece> take() { return std::move(pieces_); }

 private:
  void leave(Time t, JobIndex j, const NodeRanges& nodes);
  bool is_reserved(const NodeRanges& nodes, Time from, Time to) const;

  const NodeReservations& reservations_;
  std::vector<Time> since_;  ///< by JobIndex; kNever: it does not run
  /// What preempted jobs did, whose nodes are told when they go on or end.
  struct Paused {
    JobIndex job;
    Time from, to;
  };
  std::vector<Paused> paused_;
  std::vector<ReservedPiece> pieces_;
};

}  // namespace coslice

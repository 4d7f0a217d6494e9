// Reservations of nodes: the book keeps jobs off the nodes; here is what happens at the instants at which they become known,
// begin and end.
#include "sched/simulation.h"

namespace coslice {

/// Nodes are kept for some jobs for a time. Counts of nodes are kept for those that are in the same reservations.
void Simulation::reserve_nodes(const NodeReservations& all) {
  machine_.reservations = std::make_unique<ReservationClock>(all, now_);
  for (const NodeReservation& r : all) {
    if (r.floating) continue;
    NodeSet nodes(machine_.demands->layout().node_count(), r.nodes);
    if (nodes.count() < nodes.size()) machine_.demands->tell_apart(nodes);
  }
}

/// A window that begins or ends is an instant of its own, so that there is a pass.
bool Simulation::handle_reservations() {
  if (!machine_.reservations) return false;
  bool any = false;
  while (const std::optional<ReservationClock::Event> event = machine_.reservations->take(now_)) {
    any = true;
    if (event->kind == ReservationClock::Kind::kAnnounced) view_.announce_reservation(event->reservation);
    if (event->kind != ReservationClock::Kind::kLastEnd) continue;
    view_.forget_reservation(event->reservation);
    reject_late(event->reservation);
  }
  return any;
}

/// Whether the job runs in a reservation only that is over for good.
bool Simulation::too_late(JobIndex j) const {
  if (!machine_.reservations) return false;
  const std::int32_t only = machine_.demands->only(j);
  return only >= 0 && machine_.demands->reservations()[static_cast<std::size_t>(only)].last_end() <= now_;
}

/// Jobs that name the reservation, which is over for good, can never run.
void Simulation::reject_late(std::int32_t reservation) {
  const WaitingQueue& queue = view_.queue();
  for (View::Position p = queue.first(); p < queue.end(); p = queue.next(p)) {
    const JobIndex j = queue.job(p);
    if (machine_.demands->only(j) != reservation) continue;
    view_.drop(p);
    ++happened_;
    reject(j, Rejection::kOver);
    scheduler_.dropped(view_, j);
  }
}

}  // namespace coslice

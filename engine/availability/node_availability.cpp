#include "availability/node_availability.h"

#include "availability/shared_node_availability.h"
#include "availability/whole_node_availability.h"

namespace coslice {

NodeAvailability::NodeAvailability(const JobDemands& demands, Time start)
    : Availability(start), demands_(&demands), in_effect_(demands.reservations().size()) {
  for (std::size_t r = 0; r != in_effect_.size(); ++r) {
    const NodeReservation& reservation = demands.reservations()[r];
    if (reservation.last_end() <= start) continue;
    in_effect_[r] = reservation.announced <= start;
    planned_ += counts(static_cast<std::int32_t>(r)) ? 1 : 0;
  }
}

void NodeAvailability::announce(std::int32_t reservation) {
  const bool counted = counts(reservation);
  in_effect_[static_cast<std::size_t>(reservation)] = true;
  if (!windows_ignored_ && !counted && counts(reservation)) ++planned_;
  if (windows_ignored_) return;
  ++changes_;
  reservations_changed();
}

Availability::Position NodeAvailability::next_passing(const WaitingQueue& queue, Position from, Position stop) {
  Position p = queue.next_fitting(from, most_free());
  while (p < stop && !fits_now({queue.job(p), queue.nodes(p), queue.duration(p)}))
    p = queue.next_fitting(p + 1, most_free());
  return p;
}

bool NodeAvailability::fits_without(const Ask& a, const std::vector<StartedJob*>& jobs, std::int64_t /*held*/,
                                    std::int64_t /*allowed*/) const {
  const std::unique_ptr<Availability> what_if = without_reservations({});
  for (const StartedJob* job : jobs) {
    StartedJob gone = *job;
    what_if->finish(gone);
  }
  return what_if->fits_now(a);
}

NodeRanges NodeAvailability::nodes_to_keep(const NodeRanges& nodes, std::int32_t count) const {
  std::vector<NodeId> kept;
  for_each_node(nodes, [&](NodeId n) { kept.push_back(n); });
  std::ranges::stable_sort(kept, std::greater<>(), [&](NodeId n) { return demands_->layout().kind_of(n).speed; });
  kept.resize(static_cast<std::size_t>(count));
  std::ranges::sort(kept);
  return as_ranges(std::move(kept));
}

bool NodeAvailability::room_to_resize(const StartedJob& job, std::int32_t nodes, Time end) {
  if (nodes <= job.node_count) return room_for_nodes(job, nodes_to_keep(job.nodes, nodes), end);
  return room_for_nodes(job, job.nodes, end) && room_for_more(job, nodes, end);
}

TimeWindows NodeAvailability::closed_times(std::int32_t access, NodeId node) const {
  const NodeReservations& all = demands_->reservations();
  std::vector<bool> on;
  for (const NodeReservation& r : all) on.push_back(common_nodes(r.nodes, as_ranges({node})) != 0);
  return coslice::closed_times(all, demands_->accesses()[static_cast<std::size_t>(access)], on, in_effect_);
}

Time NodeAvailability::first_window() const {
  Time first = kNever;
  const auto is_over = [&](const NodeReservation& r) { return !r.windows.empty() && r.last_end() <= now_; };
  const NodeReservations& all = demands_->reservations();
  for (const NodeAccess& access : demands_->accesses())
    if (access.only >= 0 && !is_over(all[static_cast<std::size_t>(access.only)]))
      return Time::min();  // its jobs run in windows only
  for (std::size_t r = 0; r != in_effect_.size(); ++r) {
    if (!in_effect_[r] || !counts(static_cast<std::int32_t>(r))) continue;
    const TimeWindows& windows = all[r].windows;
    if (windows.empty()) return Time::min();
    const auto next = std::ranges::upper_bound(windows, now_, {}, &TimeWindow::to);
    if (next != windows.end()) first = std::min(first, next->from);
  }
  return first;
}

std::unique_ptr<NodeAvailability> make_node_availability(const JobDemands& demands, Placement* placement,
                                                         const Occupancy& occupancy, Time start) {
  if (WholeNodeAvailability::serves(demands, placement))
    return std::make_unique<WholeNodeAvailability>(demands, placement, occupancy, start);
  return std::make_unique<SharedNodeAvailability>(demands, placement, start);
}

}  // namespace coslice

#include "sched/resource_book.h"

#include <algorithm>
#include <cassert>

#include "cluster/node_set.h"
#include "sched/shared_node_book.h"
#include "sched/whole_node_book.h"

namespace coslice {

ResourceBook::ResourceBook(const JobDemands& demands, Time start)
    : Availability(start), demands_(&demands), in_effect_(demands.reservations().size()) {
  for (std::size_t r = 0; r != in_effect_.size(); ++r) {
    const NodeReservation& reservation = demands.reservations()[r];
    if (reservation.last_end() <= start) continue;
    in_effect_[r] = reservation.announced <= start;
    planned_ += counts(static_cast<std::int32_t>(r)) ? 1 : 0;
  }
}

/// Whether it is in the way of some job: also before it is announced, in that of jobs that name it.
bool ResourceBook::counts(std::int32_t reservation) const {
  const auto& accesses = demands_->accesses();
  return in_effect(reservation) ||
         std::any_of(accesses.begin(), accesses.end(), [&](const NodeAccess& a) { return a.only == reservation; });
}

void ResourceBook::plan_windows() {
  windows_planned_ = true;
  planned_ = 0;
}

void ResourceBook::announce(std::int32_t reservation) {
  if (windows_planned_) {
    in_effect_[static_cast<std::size_t>(reservation)] = true;
    return;
  }
  if (!counts(reservation)) ++planned_;
  in_effect_[static_cast<std::size_t>(reservation)] = true;
  ++changes_;
  reservations_changed();
}

void ResourceBook::forget(std::int32_t reservation) {
  if (counts(reservation)) --planned_;
  ++changes_;
}

Availability::Position ResourceBook::next_passing(const WaitingQueue& queue, Position from, Position stop) {
  Position p = queue.next_fitting(from, most_free());
  while (p < stop && !fits_now({queue.job(p), queue.nodes(p), queue.duration(p)}))
    p = queue.next_fitting(p + 1, most_free());
  return p;
}

Time ResourceBook::earliest(const Ask& a, Time after) {
  Time best = kNever;
  for (const std::int32_t unit : demands_->demand(a.job)) best = std::min(best, earliest_in(unit, a.duration, after));
  return best;
}

bool ResourceBook::fits_at(const Ask& a, Time t) {
  const Demand& demand = demands_->demand(a.job);
  return std::any_of(demand.begin(), demand.end(), [&](std::int32_t unit) { return fits_in(unit, t, later(t, a.duration)); });
}

bool ResourceBook::fits_without(const Ask& a, const std::vector<StartedJob*>& jobs, std::int64_t /*allowed*/) const {
  const std::unique_ptr<Availability> what_if = without_reservations({});
  for (const StartedJob* job : jobs) {
    StartedJob gone = *job;
    what_if->finish(gone);
  }
  return what_if->fits_now(a);
}

void ResourceBook::take_in(const StartedJob&, std::int32_t, Time) { assert(false); }

void ResourceBook::let_go(const StartedJob&, std::int32_t, Time) { assert(false); }

void ResourceBook::start_over(StartedJob&, const NodeRanges&) { assert(false); }

void ResourceBook::keep_lent(StartedJob&, const NodeRanges&) { assert(false); }

TimeWindows ResourceBook::closed_times(std::int32_t access, NodeId node) const {
  const NodeReservations& all = demands_->reservations();
  std::vector<bool> on;
  for (const NodeReservation& r : all) on.push_back(common_nodes(r.nodes, as_ranges({node})) != 0);
  return coslice::closed_times(all, demands_->accesses()[static_cast<std::size_t>(access)], on, in_effect_);
}

std::unique_ptr<ResourceBook> make_resource_book(const JobDemands& demands, Placement* placement,
                                                 const Occupancy& occupancy, Time start) {
  if (WholeNodeBook::serves(demands, placement))
    return std::make_unique<WholeNodeBook>(demands, placement, occupancy, start);
  return std::make_unique<SharedNodeBook>(demands, placement, start);
}

}  // namespace coslice

#include "observers/reservation_invariants.h"

#include <algorithm>

#include <fmt/format.h>

#include "cluster/node_ids.h"

namespace coslice {

namespace {
constexpr std::size_t kMostReservationComplaints = 20;
}

void ReservationInvariants::complain(Time t, JobIndex j, const std::string& what, const NodeReservation& r) {
  if (violations_.size() == kMostReservationComplaints) return;
  violations_.push_back(fmt::format("at {} s, job {}: {} the reservation {}", format_seconds(t.time_since_epoch()),
                                    jobs_[j].id, what, r.name));
}

void ReservationInvariants::started(Time t, JobIndex j, const NodeRanges& nodes) {
  start_[j] = t;
  const NodeAccess access = access_of(reservations_, jobs_[j]);
  for (std::size_t r = 0; r != reservations_.size(); ++r) {
    if (access.only == static_cast<std::int32_t>(r)) check_own(t, j, nodes, reservations_[r]);
    else check(t, j, nodes, reservations_[r], access.to[r]);
  }
}

void ReservationInvariants::check(Time t, JobIndex j, const NodeRanges& nodes, const NodeReservation& r,
                                  NodeAccess::To to) {
  if (to != NodeAccess::To::kClosed || common_nodes(nodes, r.nodes) == 0) return;
  if (r.floating) complain(t, j, "is too long for nodes of", r);
  if (t < r.announced) return;
  const Time end = before_ == Before::kLimits ? later(t, jobs_[j].limit) : later(t, Duration{1});
  for (const TimeWindow& w : r.windows)
    if (w.from < end && t < w.to) return complain(t, j, "is on nodes of", r);
}

/// However long it took, it has left the nodes by the beginning of each window that was known when it started.
void ReservationInvariants::check_end(Time t, JobIndex j, const NodeRanges& nodes) {
  if (before_ != Before::kEnds) return;
  const NodeAccess access = access_of(reservations_, jobs_[j]);
  for (std::size_t r = 0; r != reservations_.size(); ++r) {
    const NodeReservation& of = reservations_[r];
    const bool own = access.only == static_cast<std::int32_t>(r);
    if (!own && (access.to[r] != NodeAccess::To::kClosed || start_[j] < of.announced || common_nodes(nodes, of.nodes) == 0)) continue;
    for (const TimeWindow& w : of.windows) {
      if (own && w.from <= start_[j] && start_[j] < w.to && t > w.to) complain(t, j, "was longer than", of);
      if (!own && start_[j] < w.to && w.from < t) complain(t, j, "was there in", of);
    }
  }
}

void ReservationInvariants::check_own(Time t, JobIndex j, const NodeRanges& nodes, const NodeReservation& r) {
  if (common_nodes(nodes, r.nodes) != nodes.count()) complain(t, j, "is on other nodes than those of", r);
  const auto w = std::find_if(r.windows.begin(), r.windows.end(), [t](const TimeWindow& x) { return t < x.to; });
  if (w == r.windows.end() || t < w->from) complain(t, j, "runs outside of", r);
  else if (before_ == Before::kLimits && later(t, jobs_[j].limit) > w->to) complain(t, j, "does not end in", r);
}

}  // namespace coslice

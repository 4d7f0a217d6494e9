// Nodes that are kept for some jobs for a time: what a site's administrators reserve, not what a scheduler promises.
//
// To a job that is not entitled the nodes are unavailable during the reservation's times (windows): it starts on them
// only if it ends before the next one begins. A job that names the reservation runs in it only. Schedulers see that
// through the ledger of resources and need to know nothing of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "jobs/attributes.h"
#include "jobs/job.h"
#include "machine/node_set.h"

namespace coslice {

struct NodeReservation {
  std::string name;
  NodeRanges nodes;
  TimeWindows windows;           ///< empty where it floats
  Time announced = Time::min();  ///< from then on, schedulers know of it
  /// Of a floating reservation: it begins always this long after now, so that it never comes. Jobs of others run on its
  /// nodes if their limits are no longer.
  std::optional<Duration> floating;
  Duration backfill{
      0};  ///< jobs of others whose limits are no longer may run in it: entitled jobs wait for them at most so long
  std::vector<std::int32_t> users, accounts;  ///< whose jobs are entitled
  std::vector<std::int64_t> jobs;             ///< jobs that are entitled, by their ids

  /// Returns whether the job asks for it by name (Attribute "reservation"): then it runs nowhere else.
  bool named_by(const Job& job) const { return attributes::kReservation.text(job) == name; }
  /// Returns whether the reservation is for the job: named by it, or for its user, its account or the job itself.
  bool entitles(const Job& job) const;
  /// Returns the longest time that a job may run in it; zero where it floats.
  Duration longest() const;
  /// Returns when the reservation is over for good; Time::min() where it floats.
  Time last_end() const { return windows.empty() ? Time::min() : windows.back().to; }
};

using NodeReservations = std::vector<NodeReservation>;

/// How a job stands to reservations. Jobs that are alike in that share one.
struct NodeAccess {
  enum class To : std::uint8_t {
    kClosed,  ///< the reservation is for others
    kOpen,    ///< the job is short enough
    kOwn,     ///< the job is entitled
  };
  std::vector<To> to;      ///< by reservation
  std::int32_t only = -1;  ///< the job runs in the windows of this one, on its nodes; -1: anywhere
  bool operator==(const NodeAccess&) const = default;
};

NodeAccess access_of(const NodeReservations& all, const Job& job);

/// Returns the times in which that access has nothing of nodes that are in these reservations (`on`, by number):
/// windows of those that are not open and `in_effect`, and what is not in a window of `only`, up to some time after its
/// last one.
TimeWindows closed_times(const NodeReservations& all, const NodeAccess& access, const std::vector<bool>& on,
                         const std::vector<bool>& in_effect);

/// Calls f(from, to) for each part of [from, to) that is in no window; these are as TimeWindows.
template <class Windows, class F>
void each_part_outside(const Windows& windows, Time from, Time to, F&& f) {
  auto w = std::ranges::upper_bound(windows, from, {}, &TimeWindow::to);
  for (; w != windows.end() && w->from < to; from = (w++)->to)
    if (w->from > from) f(from, w->from);
  if (from < to) f(from, to);
}

}  // namespace coslice

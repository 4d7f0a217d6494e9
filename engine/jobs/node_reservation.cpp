#include "jobs/node_reservation.h"

namespace coslice {
namespace {

template <class T>
bool is_among(const std::vector<T>& list, T value) {
  return std::ranges::find(list, value) != list.end();
}

/// What lies before and between windows; and so long after the last one that no job that fits into one reaches beyond
/// it. From then on it is open, so that there is a first time at which a job would fit: it is rejected long before.
void append_gaps_between(const TimeWindows& windows, Duration longest, TimeWindows& out) {
  Time from = Time::min();
  for (const TimeWindow& w : windows) {
    if (from < w.from) out.push_back({from, w.from});
    from = w.to;
  }
  out.push_back({from, later(from, longest)});
}

/// Puts them in order and joins those that touch.
void join_windows(TimeWindows& windows) {
  std::ranges::sort(windows, {}, &TimeWindow::from);
  std::size_t kept = 0;
  for (const TimeWindow& w : windows)
    if (kept != 0 && w.from <= windows[kept - 1].to) windows[kept - 1].to = std::max(windows[kept - 1].to, w.to);
    else windows[kept++] = w;
  windows.resize(kept);
}

}  // namespace

bool NodeReservation::entitles(const Job& job) const {
  return is_among(jobs, job.id) || is_among(users, job.user) || is_among(accounts, job.group) || named_by(job);
}

Duration NodeReservation::longest() const {
  Duration most{0};
  for (const TimeWindow& w : windows) most = std::max(most, w.to - w.from);
  return most;
}

NodeAccess access_of(const NodeReservations& all, const Job& job) {
  NodeAccess access;
  for (const NodeReservation& r : all) {
    const bool is_short = job.limit <= (r.floating ? *r.floating : r.backfill);
    access.to.push_back(r.entitles(job) ? NodeAccess::To::kOwn
                        : is_short      ? NodeAccess::To::kOpen
                                        : NodeAccess::To::kClosed);
    if (!r.floating && r.named_by(job)) access.only = static_cast<std::int32_t>(access.to.size()) - 1;
  }
  return access;
}

TimeWindows closed_times(const NodeReservations& all, const NodeAccess& access, const std::vector<bool>& on,
                         const std::vector<bool>& in_effect) {
  TimeWindows closed;
  for (std::size_t r = 0; r != all.size(); ++r) {
    if (!on[r]) continue;
    if (access.only == static_cast<std::int32_t>(r)) append_gaps_between(all[r].windows, all[r].longest(), closed);
    else if (access.to[r] == NodeAccess::To::kClosed && in_effect[r])
      closed.insert(closed.end(), all[r].windows.begin(), all[r].windows.end());
  }
  join_windows(closed);
  return closed;
}

}  // namespace coslice

#include "sharing/utilization_gain.h"

#include <algorithm>

#include <boost/container/small_vector.hpp>

namespace coslice {

namespace {

constexpr double kOver = 1e-9;  ///< so little work is none, s

/// Plays the group forward and calls `period(time, slowdown, useful, live)` for each period.
template <class F>
GainTimeline play(double processes, double work, const std::vector<GainMember>& members, F&& period) {
  GainTimeline g;
  g.primary_left = work;
  std::vector<std::size_t> live;
  for (std::size_t i = 0; i != members.size(); ++i) {
    g.left.push_back(members[i].work);
    if (members[i].work > kOver) live.push_back(i);
  }
  while (!live.empty() && g.primary_left > kOver) {
    double slowdown = 0;
    for (const std::size_t i : live) slowdown = std::max(slowdown, members[i].on_primary);
    double time = g.primary_left * slowdown;
    for (const std::size_t i : live) time = std::min(time, g.left[i] * members[i].slowdown);
    double useful = time * processes / slowdown;
    for (const std::size_t i : live) useful += time * members[i].processes / members[i].slowdown;
    period(time, slowdown, useful, live);
    g.time += time;
    g.primary_left -= time / slowdown;
    for (const std::size_t i : live) g.left[i] -= time / members[i].slowdown;
    live.erase(std::remove_if(live.begin(), live.end(), [&](std::size_t i) { return g.left[i] < kOver; }), live.end());
  }
  return g;
}

}  // namespace

GainTimeline gain_timeline(double processes, double work, const std::vector<GainMember>& members, double nodes) {
  double useful = 0;
  std::vector<GainPeriod> periods;
  GainTimeline g = play(processes, work, members, [&](double time, double slowdown, double u, const auto& live) {
    useful += u;
    periods.push_back({time, slowdown, u, live});
  });
  g.periods = std::move(periods);
  const double used = g.time * nodes;
  g.gain = used > 0 ? (useful - used) / used : 0;
  return g;
}

double utilization_gain(double processes, double work, const std::vector<GainMember>& members, double nodes) {
  // The same in place: this is asked for each set that is tried.
  boost::container::small_vector<double, 32> left;
  for (const GainMember& m : members) left.push_back(m.work);
  double useful = 0, total = 0;
  while (work > kOver) {
    double slowdown = 0;
    for (std::size_t i = 0; i != members.size(); ++i)
      if (left[i] > kOver) slowdown = std::max(slowdown, members[i].on_primary);
    if (slowdown == 0) break;
    double time = work * slowdown;
    for (std::size_t i = 0; i != members.size(); ++i)
      if (left[i] > kOver) time = std::min(time, left[i] * members[i].slowdown);
    useful += time * processes / slowdown;
    for (std::size_t i = 0; i != members.size(); ++i) {
      if (left[i] <= kOver) continue;
      useful += time * members[i].processes / members[i].slowdown;
      left[i] -= time / members[i].slowdown;
    }
    total += time;
    work -= time / slowdown;
  }
  const double used = total * nodes;
  return used > 0 ? (useful - used) / used : 0;
}

}  // namespace coslice

#include "sched/utilization_gain.h"

#include <algorithm>

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
  double useful = 0;
  const GainTimeline g = play(processes, work, members, [&](double, double, double u, const auto&) { useful += u; });
  const double used = g.time * nodes;
  return used > 0 ? (useful - used) / used : 0;
}

}  // namespace coslice

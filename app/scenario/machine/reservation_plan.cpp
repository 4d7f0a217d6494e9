// From [[reservations]] to what the simulation is told: names become nodes, repetitions single windows.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "scenario/machine/outage_spec.h"
#include "scenario/machine/repetitions.h"
#include "scenario/scenario.h"

namespace coslice {
namespace {

TimeWindows windows_of(const ReservationSpec& spec, const RepetitionEnds& ends) {
  TimeWindows windows;
  if (spec.floating) return windows;
  const Time end = spec.every ? ends.of(spec) : *spec.from;
  for (Time t = *spec.from; t <= end || windows.empty(); t = later(t, *spec.every)) {
    windows.push_back({t, later(t, *spec.length)});
    if (!spec.every) return windows;
    if (windows.size() == kMostRepetitions)
      fail_at(spec.place, fmt::format("the reservation '{}' begins more than {} times", spec.name, kMostRepetitions),
              "a longer `every`");
  }
  return windows;
}

/// Those of a table and of the later ones that add times to it; windows that meet are one.
TimeWindows all_windows_of(const std::vector<ReservationSpec>& specs, std::size_t first, const RepetitionEnds& ends) {
  TimeWindows all = windows_of(specs[first], ends);
  for (std::size_t i = first + 1; i < specs.size(); ++i) {
    if (specs[i].name != specs[first].name) continue;
    const TimeWindows more = windows_of(specs[i], ends);
    all.insert(all.end(), more.begin(), more.end());
  }
  std::ranges::sort(all, {}, &TimeWindow::from);
  TimeWindows merged;
  for (const TimeWindow& w : all) {
    if (!merged.empty() && w.from <= merged.back().to) merged.back().to = std::max(merged.back().to, w.to);
    else merged.push_back(w);
  }
  return merged;
}

/// Whether they are ever at the same time.
bool ever_meet(const NodeReservation& a, const NodeReservation& b) {
  if (a.floating || b.floating) return true;
  for (auto x = a.windows.begin(), y = b.windows.begin(); x != a.windows.end() && y != b.windows.end();) {
    if (x->from < y->to && y->from < x->to) return true;
    x->to <= y->to ? ++x : ++y;
  }
  return false;
}

/// The last `count` of the nodes that no reservation has at the same time.
NodeRanges last_of(NodeRanges nodes, const ReservationSpec& spec, const NodeReservation& of,
                   const NodeReservations& before, std::int32_t machine) {
  NodeSet left(machine);
  left.insert(nodes);
  for (const NodeReservation& r : before) {
    if (!ever_meet(of, r)) continue;
    NodeSet taken(machine);
    taken.insert(r.nodes);
    left -= taken;
  }
  const auto count = static_cast<std::int32_t>(spec.count);
  if (left.count() < count)
    fail_at(spec.place,
            fmt::format("the reservation '{}' is for {} nodes, and only {} are left for it", spec.name, count,
                        left.count()),
            "fewer nodes, or other times");
  NodeSet last = left;
  const NodeRanges first = left.lowest(left.count() - count);
  if (!first.empty()) last.erase(first);
  return last.ranges();
}

template <class T>
std::vector<T> narrow_numbers(const std::vector<std::int64_t>& all) {
  std::vector<T> out;
  std::ranges::transform(all, std::back_inserter(out), [](std::int64_t n) { return static_cast<T>(n); });
  return out;
}

}  // namespace

NodeReservations node_reservations(const Scenario& scenario, const std::vector<Job>& jobs) {
  const RepetitionEnds ends(jobs);
  NodeReservations all;
  for (std::size_t i = 0; i != scenario.reservations.size(); ++i) {
    const ReservationSpec& spec = scenario.reservations[i];
    if (std::ranges::any_of(all, [&](const NodeReservation& known) { return known.name == spec.name; })) continue;
    NodeReservation r;
    r.name = spec.name;
    r.windows = all_windows_of(scenario.reservations, i, ends);
    r.announced = spec.announced.value_or(Time::min());
    r.floating = spec.floating;
    r.backfill = spec.backfill.value_or(Duration{0});
    r.users = narrow_numbers<std::int32_t>(spec.users);
    r.accounts = narrow_numbers<std::int32_t>(spec.accounts);
    r.jobs = spec.jobs;
    r.nodes = nodes_by_name(scenario.machine, spec.nodes, spec.place);
    if (spec.count != 0) r.nodes = last_of(std::move(r.nodes), spec, r, all, scenario.machine.nodes);
    all.push_back(std::move(r));
  }
  return all;
}

}  // namespace coslice

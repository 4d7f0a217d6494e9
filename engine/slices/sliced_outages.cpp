#include "slices/sliced_outages.h"

#include <algorithm>

#include "cluster/node_set.h"
#include "slices/slice_outlook.h"

namespace coslice {

SlicedOutages::SlicedOutages(const OutageOptions& options, Time start, const SliceOptions& slices,
                             const SliceClock& clock, ClassViews& classes, SlicedJobs& started,
                             const std::vector<Observer*>& observers, Interrupt interrupt)
    : interval_(slices.interval), clock_(clock), classes_(classes), started_(started), interrupt_(std::move(interrupt)),
      outlook_(slices, clock), start_(start),
      events_(options, start, started.occupancy().idle().size(), *this, observers) {
  for (ClassView& c : classes) away_.emplace_back(c.view);
}

void SlicedOutages::plan() {
  for (const Outage& o : options().plan.listed) {
    if (o.kind != OutageKind::kMaintenance || o.to <= start_) continue;
    Window& window = windows_.emplace_back(Window{o.nodes, o.from, o.to, {}});
    for (std::size_t c = 0; c != classes_.size(); ++c) {
      window.planned.push_back(in_time_of(c, window));
      classes_[c].view.plan_outage(window.nodes, window.planned[c].first, window.planned[c].second);
    }
  }
}

/// At the latest then, in the time of the class: never before the node is there again.
Time SlicedOutages::in_time_of(std::size_t c, Time wall) const {
  return later(classes_[c].view.now(), std::max(Duration{1}, outlook_.at_most(c, wall)));
}

/// Not shorter than it can turn out to be. Even if the class has no time in it, no job is to be on the nodes then. Of a class
/// without slices of its own, whose jobs run when others leave them room, nothing is known: it would have no time at all.
std::pair<Time, Time> SlicedOutages::in_time_of(std::size_t c, const Window& window) const {
  const Duration before = outlook_.has_slices(c) ? outlook_.at_least(c, window.from)
                                                 : std::max(Duration{0}, window.from - clock_.now());
  const Time from = later(classes_[c].view.now(), before);
  return {from, std::max(in_time_of(c, window.to), later(from, Duration{1}))};
}

/// Whether a time of the class that is on the safe side of `bound` may stay.
bool SlicedOutages::near_enough(std::size_t c, Time old, Time bound) const {
  return FarBounds(classes_[c].view.now(), interval_).near_enough(old, bound);
}

void SlicedOutages::look_again() {
  for (std::size_t c = 0; c != classes_.size(); ++c) {
    View& view = classes_[c].view;
    std::vector<std::pair<NodeId, Time>> moved;
    away_[c].for_each([&](NodeId n, Time held) {
      const Time until = in_time_of(c, believed_.at(n));
      if (held < until || !near_enough(c, held, until)) moved.emplace_back(n, until);
    });
    for (const auto& [n, until] : moved) away_[c].believe(n, until);
    for (Window& window : windows_) {
      const auto [from, to] = in_time_of(c, window);
      auto& planned = window.planned[c];
      const bool holds = planned.first <= from && to <= planned.second;
      if (holds && near_enough(c, planned.first, from) && near_enough(c, planned.second, to)) continue;
      view.forget_outage(window.nodes, planned.first, planned.second);
      planned = {from, to};
      view.plan_outage(window.nodes, from, to);
    }
  }
}

void SlicedOutages::maintenance_begins(const Outage& outage) {
  const auto window = std::find_if(windows_.begin(), windows_.end(), [&](const Window& w) {
    return w.from == outage.from && w.to == outage.to && w.nodes == outage.nodes;
  });
  for (std::size_t c = 0; c != classes_.size(); ++c)
    classes_[c].view.forget_outage(window->nodes, window->planned[c].first, window->planned[c].second);
  windows_.erase(window);
}

void SlicedOutages::interrupt_jobs_on(NodeId n) {
  const Occupancy::Jobs struck = started_.ledger().jobs(n);
  for (StartedJob* job : struck) interrupt_(*job);
}

void SlicedOutages::take_down(NodeId n, Time until) {
  believed_[n] = until;
  started_.start_none_on(n);
  for (std::size_t c = 0; c != classes_.size(); ++c) take_down_for(c, n, until);
}

/// Where nodes are equal a view knows how many there are, not which: while a job of the class has the node, it holds it.
void SlicedOutages::take_down_for(std::size_t c, NodeId n, Time until) {
  if (away_[c].has(n)) return;
  if (!started_.by_node() && !started_.ledger().without(c).contains(n)) return;
  away_[c].take_down(n, in_time_of(c, until));
}

void SlicedOutages::left_by_job(NodeId n, Time until) {
  for (std::size_t c = 0; c != classes_.size(); ++c) take_down_for(c, n, until);
}

void SlicedOutages::believe_down(NodeId n, Time until) {
  believed_[n] = until;
  for (std::size_t c = 0; c != classes_.size(); ++c)
    if (away_[c].has(n)) away_[c].believe(n, in_time_of(c, until));
}

bool SlicedOutages::bring_back(NodeId n) {
  believed_.erase(n);
  for (AwayNodes& away : away_)
    if (away.has(n)) away.bring_back(n);
  return started_.bring_back(n);
}

}  // namespace coslice

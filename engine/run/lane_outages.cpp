#include "run/lane_outages.h"

#include <algorithm>

namespace coslice {

LaneOutages::LaneOutages(const OutageOptions& options, Time start, const SliceOptions& slices, const SliceClock& clock,
                         Lanes& classes, RunningJobs& started, const std::vector<Observer*>& observers,
                         Interrupt interrupt)
    : interval_(slices.interval), clock_(clock), classes_(classes), started_(started), interrupt_(std::move(interrupt)),
      outlook_(slices, clock), start_(start),
      events_(options, start, started.occupancy().idle().size(), *this, observers) {
  for (Lane& c : classes) down_.emplace_back(c.view);
}

void LaneOutages::plan() {
  for (const Outage& o : options().plan.listed) {
    if (o.kind != OutageKind::kMaintenance || o.to <= start_) continue;
    Window& window = windows_.emplace_back(Window{o.nodes, {o.from, o.to}, {}});
    for (std::size_t c = 0; c != classes_.size(); ++c) {
      HostedView& view = classes_[c].view;
      const TimeWindow& w =
          window.planned.emplace_back(outlook_.in_time_of(c, window.wall, view.now(), outlook_.rest(c)));
      view.plan_outage(window.nodes, w.from, w.to);
    }
  }
  std::ranges::reverse(windows_);  // the first to begin, which goes first, is the last one
}

/// At the latest then, in the time of the class: never before the node is up again.
Time LaneOutages::in_time_of(std::size_t c, Time wall, const SliceOutlook::Rest& rest) const {
  return later(classes_[c].view.now(), std::max(Duration{1}, outlook_.at_most(c, wall, rest)));
}

void LaneOutages::look_again() {
  for (std::size_t c = 0; c != classes_.size(); ++c) {
    HostedView& view = classes_[c].view;
    const FarBounds far{view.now(), interval_};
    const SliceOutlook::Rest rest = outlook_.rest(c);
    std::vector<std::pair<NodeId, Time>> moved;
    down_[c].for_each([&](NodeId n, Time held) {
      const Time until = in_time_of(c, believed_.at(n), rest);
      if (held < until || !far.near_enough(held, until)) moved.emplace_back(n, until);
    });
    for (const auto& [n, until] : moved) down_[c].believe(n, until);
    for (auto w = windows_.rbegin(); w != windows_.rend(); ++w) {
      Window& window = *w;
      const TimeWindow now = outlook_.in_time_of(c, window.wall, view.now(), rest);
      TimeWindow& planned = window.planned[c];
      if (far.near_enough(planned, now)) continue;
      view.forget_outage(window.nodes, planned.from, planned.to);
      planned = now;
      view.plan_outage(window.nodes, now.from, now.to);
    }
  }
}

void LaneOutages::maintenance_begins(const Outage& outage) {
  const auto window = std::find_if(windows_.rbegin(), windows_.rend(), [&](const Window& w) {
    return w.wall == TimeWindow{outage.from, outage.to} && w.nodes == outage.nodes;
  });
  for (std::size_t c = 0; c != classes_.size(); ++c)
    classes_[c].view.forget_outage(window->nodes, window->planned[c].from, window->planned[c].to);
  windows_.erase(std::next(window).base());
}

void LaneOutages::take_down(NodeId n, Time until) {
  believed_[n] = until;
  started_.start_none_on(n);
  left_by_job(n, until);
}

/// Where nodes are equal a view counts them, and does not distinguish them: while a job of the class has the node, it
/// holds it.
void LaneOutages::left_by_job(NodeId n, Time until) {
  for (std::size_t c = 0; c != classes_.size(); ++c)
    if (!down_[c].has(n) &&
        (!started_.limits_are_work() || started_.by_node() || started_.allocations().without(c).contains(n)))
      down_[c].take_down(n, in_time_of(c, until, outlook_.rest(c)));
}

void LaneOutages::believe_down(NodeId n, Time until) {
  believed_[n] = until;
  for (std::size_t c = 0; c != classes_.size(); ++c)
    if (down_[c].has(n)) down_[c].believe(n, in_time_of(c, until, outlook_.rest(c)));
}

bool LaneOutages::bring_back(NodeId n) {
  believed_.erase(n);
  for (DownNodes& down : down_)
    if (down.has(n)) down.bring_back(n);
  return started_.bring_back(n);
}

}  // namespace coslice

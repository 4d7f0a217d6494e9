#include "sched/node_outages.h"

#include <algorithm>
#include <functional>

namespace coslice {

Time NodeOutages::next_time() const {
  return due_.empty() ? feed_.next_time() : std::min(feed_.next_time(), due_.front().time);
}

void NodeOutages::look_again(NodeId n, Time t) {
  due_.push_back({t, n});
  std::push_heap(due_.begin(), due_.end(), std::greater<>{});
}

std::optional<NodeId> NodeOutages::take_due(Time now) {
  if (due_.empty() || due_.front().time > now) return std::nullopt;
  const NodeId n = due_.front().node;
  std::pop_heap(due_.begin(), due_.end(), std::greater<>{});
  due_.pop_back();
  return n;
}

std::optional<Outage> NodeOutages::take_begun(Time now) {
  if (feed_.next_time() > now || feed_.next_time() == kNever) return std::nullopt;
  return feed_.pop();
}

}  // namespace coslice

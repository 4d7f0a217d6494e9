#include "sched/node_outages.h"

#include <algorithm>
#include <functional>

namespace coslice {

NodeOutages::NodeOutages(const OutageOptions& options, Time start, std::int32_t nodes)
    : options_(options), feed_(options.plan, start), nodes_(static_cast<std::size_t>(nodes)), busy_(nodes) {}

void NodeOutages::job_comes(const NodeRanges& nodes) {
  if (jobs_.empty()) {
    if (!busy_.intersects(nodes)) {
      busy_.insert(nodes);
      used_ += nodes.count();
      return;
    }
    jobs_.assign(nodes_.size(), 0);
    for (NodeId n = 0; n != busy_.size(); ++n) jobs_[static_cast<std::size_t>(n)] = busy_.contains(n) ? 1 : 0;
  }
  count(nodes, 1);
}

void NodeOutages::job_goes(const NodeRanges& nodes) {
  if (!jobs_.empty()) return count(nodes, -1);
  busy_.erase(nodes);
  used_ -= nodes.count();
}

void NodeOutages::count(const NodeRanges& nodes, std::int32_t sign) {
  for (const NodeRange& r : nodes.ranges()) {
    for (NodeId n = r.first; n <= r.last; ++n) {
      std::int32_t& jobs = jobs_[static_cast<std::size_t>(n)];
      if (sign > 0 && jobs == 0) ++used_;
      jobs += sign;
      if (sign < 0 && jobs == 0) --used_;
    }
  }
}

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

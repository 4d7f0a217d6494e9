#include "schedule/side_by_side.h"

#include <algorithm>
#include <unordered_map>

namespace coslice {
namespace {

/// What of a node is in use.
struct InUse {
  CoreSet cores;
  bool all = false;
};

class Nodes {
 public:
  bool leave(const StartedJob& job) const {
    if (job.parts.empty()) {
      bool left = true;
      for_each_node(job.nodes, [&](NodeId n) { left = left && in_use_.count(n) == 0; });
      return left;
    }
    return std::ranges::all_of(job.parts, [&](const NodePart& part) {
      const auto at = in_use_.find(part.node);
      if (at == in_use_.end()) return true;
      return !part.held.empty() && !at->second.all && !at->second.cores.intersects(part.held);
    });
  }
  void take(const StartedJob& job) {
    if (job.parts.empty()) for_each_node(job.nodes, [&](NodeId n) { in_use_[n].all = true; });
    for (const NodePart& part : job.parts) {
      InUse& there = in_use_[part.node];
      there.cores |= part.held;
      there.all = there.all || part.held.empty();
    }
  }

 private:
  std::unordered_map<NodeId, InUse> in_use_;
};

}  // namespace

std::vector<bool> side_by_side(const std::vector<const StartedJob*>& jobs, std::size_t sure) {
  std::vector<bool> found;
  Nodes nodes;
  for (const StartedJob* job : jobs) {
    found.push_back(found.size() < sure || nodes.leave(*job));
    if (found.back()) nodes.take(*job);
  }
  return found;
}

}  // namespace coslice

#include "resources/fit_index.h"

#include "cluster/node_set.h"

namespace coslice {

void FitIndex::catch_up(Known& known, const Request& request, const NodeSet& nodes) const {
  const std::vector<NodeId>& changes = pool_->changes();
  const bool missed = known.begun != pool_->changes_begun();
  if (missed || changes.size() - known.read > static_cast<std::size_t>(nodes.count())) {
    NodeSet fitting(nodes.size());
    for_each_node(nodes.ranges(), [&](NodeId n) {
      if (pool_->fits(request, n)) fitting.insert(n);
    });
    known.fitting = std::move(fitting);
  } else {
    for (std::size_t i = known.read; i != changes.size(); ++i) {
      const NodeId n = changes[i];
      if (!nodes.contains(n)) continue;
      const bool fits = pool_->fits(request, n);
      if (fits == known.fitting.contains(n)) continue;
      if (fits) known.fitting.insert(n);
      else known.fitting.erase(n);
    }
  }
  known.read = changes.size();
  known.begun = pool_->changes_begun();
}

}  // namespace coslice

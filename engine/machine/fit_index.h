// On which nodes each request fits now, kept up to date: after a change, only the nodes that changed are looked at, and
// only for requests that are asked for.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/node_pool.h"
#include "machine/node_set.h"

namespace coslice {

class FitIndex {
 public:
  /// Makes the index of a pool, which outlives it.
  explicit FitIndex(const NodePool& pool) : pool_(&pool) {}

  /// Returns those of `nodes` on which the request fits beside what runs there. `unit` is a dense number that stands
  /// for this pair of request and nodes. Valid until the next question about the same unit.
  const NodeSet& fitting(std::int32_t unit, const Request& request, const NodeSet& nodes) {
    if (static_cast<std::size_t>(unit) >= known_.size()) known_.resize(static_cast<std::size_t>(unit) + 1);
    Known& known = known_[static_cast<std::size_t>(unit)];
    if (known.read != pool_->changes().size() || known.begun != pool_->changes_begun()) catch_up(known, request, nodes);
    return known.fitting;
  }

 private:
  struct Known {
    NodeSet fitting;
    std::uint64_t begun = ~std::uint64_t{0};
    std::size_t read = 0;  ///< so many changes are taken into account
  };
  void catch_up(Known& known, const Request& request, const NodeSet& nodes) const {
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

  const NodePool* pool_;
  std::vector<Known> known_;
};

}  // namespace coslice

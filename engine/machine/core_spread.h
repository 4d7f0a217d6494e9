// Jobs whose nodes need not have their cores alike (CoreSpread): tasks that go where there is room, on as many nodes as
// it takes; or all processors of a node that are left.
#pragma once

#include <algorithm>
#include <vector>

#include "machine/node_pool.h"

namespace coslice {

/// Returns the fewest nodes that the request needs, however much is left on them.
std::int32_t fewest_nodes(const Request& r);
/// Returns how many cores the job may have of a node with `left` free cores.
CoreShare spread_of(const Request& r, CoreShare left);
/// Returns how many cores the job may have of a node with that room.
inline CoreShare spread_on(const Request& r, const NodeRoom& room) { return spread_of(r, room.cores); }
/// Sets the cores of parts that the job has, where it is not said how many it has in all.
void take_what_is_left(const Request& r, const NodePool& pool, Parts& parts);
/// Returns whether the request has a total of cores that nodes with `of_nodes` available cores cannot provide.
bool lacks_cores(const Request& r, std::vector<CoreShare> of_nodes);
/// Returns lacks_cores() for nodes of a pool, on each of which the request fits.
bool lacks_cores(const Request& r, const NodePool& pool, const NodeSet& fitting);

/// Gives a job that has a total of cores one node after the other: of each what it may have there, but leaves a unit
/// for each further node that it needs.
class CoreSpreading {
 public:
  explicit CoreSpreading(const Request& r)
      : unit_(r.spread.unit), missing_(r.spread.cores), nodes_missing_(fewest_nodes(r)), nodes_left_(r.spread.nodes) {}
  CoreShare missing() const { return missing_; }
  std::int32_t nodes_missing() const { return nodes_missing_; }
  bool done() const { return missing_ <= 0 && nodes_missing_ <= 0; }
  /// Returns whether it takes no more nodes: it is done, or has the most that it may have.
  bool over() const { return done() || nodes_left_ == 0; }
  /// Returns whether the job takes a node with `there` available cores: its last node must provide all missing cores.
  bool takes(CoreShare there) const { return nodes_left_ > 1 || there >= missing_; }
  /// Takes the node, and returns how many of its cores it has.
  CoreShare take(CoreShare there) {
    const CoreShare kept = std::max(nodes_missing_ - 1, 0) * unit_,
                    cores = std::min(there, std::max(missing_ - kept, unit_));
    missing_ -= cores;
    --nodes_missing_;
    --nodes_left_;
    return cores;
  }

 private:
  CoreShare unit_, missing_;
  std::int32_t nodes_missing_, nodes_left_;
};

/// Spreads the job over these nodes, the first ones first; where that does not do, those with the most cores for it.
/// Returns false where they do not have enough.
bool spread_in_order(const Request& r, const NodePool& pool, std::vector<NodeId> nodes, Parts& out);

}  // namespace coslice

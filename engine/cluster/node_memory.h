// What lies in the memory of each node: parts of jobs, running or preempted. Amounts are kept as the time that their
// transfer takes, so that everything is an exact number of nanoseconds: a node of 400 units that transfers 4 units/s
// has a capacity of 100 s. (Esbaugh 2010, Section 3.5 and Appendix A.)
//
// Invariants: on each node the resident amounts add up to at most the capacity; a job's amount is at most what it needs.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "cluster/node_set.h"
#include "core/time.h"

namespace coslice {

class NodeMemory {
 public:
  /// Names a job; any number, unique among the jobs that are in memory.
  using Owner = std::uint32_t;
  /// Somebody who lost part of his memory, and how long writing it out takes (the most on any one node).
  using Displaced = std::pair<Owner, Duration>;

  NodeMemory(std::int32_t nodes, Duration capacity) : capacity_(capacity), residents_(static_cast<std::size_t>(nodes)) {}

  Duration capacity() const { return capacity_; }
  /// How long loading takes until `need` of the owner is resident on each of the nodes: the most on any one of them.
  Duration missing(const NodeRanges& nodes, Owner owner, Duration need) const;
  /// Transfers up to `amount` onto each of the nodes, as far as `need` is not resident yet. What must leave goes in
  /// order of residence, oldest first. The owner becomes the newest resident where anything was transferred.
  /// Returns who was displaced, in the order of first displacement.
  std::vector<Displaced> transfer(const NodeRanges& nodes, Owner owner, Duration need, Duration amount);
  /// The owner leaves these nodes.
  void remove(const NodeRanges& nodes, Owner owner);
  /// What nobody occupies on the node.
  Duration free(NodeId node) const;
  /// What the owner has on the node.
  Duration resident(NodeId node, Owner owner) const;

 private:
  struct Resident {
    Owner owner;
    Duration amount;
  };
  using Residents = std::vector<Resident>;  ///< oldest first
  void displace(Residents& residents, Owner keep, Duration room, std::vector<Displaced>& on_this_node);

  Duration capacity_;
  std::vector<Residents> residents_;
};

}  // namespace coslice

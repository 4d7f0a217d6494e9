// What the memory of each node holds: parts of jobs, running or preempted. Amounts are kept as the time that their
// transfer takes, so that everything is an exact number of nanoseconds: a node of 400 units that transfers 4 units/s
// has a capacity of 100 s. (Esbaugh 2010, Section 5.3.)
#pragma once

#include <cstdint>
#include <vector>

#include "core/time.h"
#include "machine/node_set.h"

namespace coslice {

/// How memory is kept; SwappedParts and SwappedJobs are the two ways.
class NodeMemory {
 public:
  /// Names a job; any number, unique among the jobs that are in memory.
  using Owner = std::uint32_t;
  /// An owner that lost memory, and how long writing it out takes.
  struct Displaced {
    Owner owner = 0;
    Duration now{0};      ///< the most on any one node in this transfer
    Duration absence{0};  ///< the most on any one node of this transfer since the owner stopped running
  };

  NodeMemory(std::int32_t nodes, Duration capacity) : capacity_(capacity), nodes_(static_cast<std::size_t>(nodes)) {}
  virtual ~NodeMemory() = default;
  /// Returns how long loading takes until `need` of the owner is in memory on each of the nodes: the most on any one of
  /// them.
  virtual Duration missing(const NodeRanges& nodes, Owner owner, Duration need) const = 0;
  /// Transfers up to `amount` onto each of the nodes, until `need` is in its memory. What must leave goes in order of
  /// residence, oldest first, jobs that run after those that do not. The owner runs from now on, and becomes the newest
  /// resident where anything was transferred. Returns the owners that were displaced, in the order of first
  /// displacement.
  virtual std::vector<Displaced> transfer(const NodeRanges& nodes, Owner owner, Duration need, Duration amount) = 0;
  /// Notes that the owner stops running: what is written out from now on belongs to a new absence.
  void stopped(const NodeRanges& nodes, Owner owner);
  /// Removes the owner, which leaves these nodes for good.
  void remove(const NodeRanges& nodes, Owner owner) {
    each_node(nodes, [&](Node& node) { std::erase_if(node, [&](const Entry& e) { return e.owner == owner; }); });
  }
  /// Returns the memory of the node that is not occupied.
  Duration free(NodeId node) const { return free_on(nodes_[static_cast<std::size_t>(node)]); }

 protected:
  /// What a node holds of an owner.
  struct Entry {
    Owner owner = 0;
    Duration held{0};      ///< memory that is occupied
    Duration written{0};   ///< written out, or charged for that, since the owner stopped
    bool running = true;   ///< where several jobs run on a node, they lose memory last
    bool complete = true;  ///< with whole jobs: the job is in memory
    Duration stored{0};    ///< with whole jobs: the job's swap map
  };
  using Node = std::vector<Entry>;  ///< oldest first; also those of which nothing is left

  Duration free_on(const Node& node) const;
  static Node::iterator find(Node& node, Owner owner) {
    return std::ranges::find_if(node, [&](const Entry& e) { return e.owner == owner; });
  }
  /// Calls f with each of these nodes.
  template <class F>
  void each_node(const NodeRanges& nodes, F&& f) {
    for_each_node(nodes, [&](NodeId n) { f(nodes_[static_cast<std::size_t>(n)]); });
  }

  Duration capacity_;
  std::vector<Node> nodes_;
};

/// Jobs lose no more than the room that another needs, and what is left of them stays in memory.
///
/// Invariants: on each node the resident amounts add up to at most the capacity; a job's amount is at most its need.
class SwappedParts : public NodeMemory {
 public:
  using NodeMemory::NodeMemory;
  Duration missing(const NodeRanges& nodes, Owner owner, Duration need) const override;
  std::vector<Displaced> transfer(const NodeRanges& nodes, Owner owner, Duration need, Duration amount) override;
  /// Returns what the owner has on the node.
  Duration resident(NodeId node, Owner owner) const {
    for (const Entry& e : nodes_[static_cast<std::size_t>(node)])
      if (e.owner == owner) return e.held;
    return Duration{0};
  }

 private:
  void displace(Node& node, Owner keep, Duration room, std::vector<Displaced>& displaced);
};

/// The literal reading of the thesis' program (Esbaugh 2010, Appendix A): jobs are evicted whole until there is room.
/// Only the last of them pays, for the room that was still lacking, and that amount, though it is what left, is
/// remembered as what is still there. So later loads are shorter than what was lost.
class SwappedJobs : public NodeMemory {
 public:
  using NodeMemory::NodeMemory;
  Duration missing(const NodeRanges& nodes, Owner owner, Duration need) const override;
  std::vector<Displaced> transfer(const NodeRanges& nodes, Owner owner, Duration need, Duration amount) override;

 private:
  void load(Node& node, Owner owner, Duration need, std::vector<Displaced>& displaced);
};

}  // namespace coslice

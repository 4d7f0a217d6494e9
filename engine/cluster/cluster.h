// Which nodes are idle and which are held now. Decisions on *when* are made on counts (profile.h); this is *where*.
#pragma once

#include <cstdint>

#include "cluster/machine.h"
#include "cluster/node_set.h"

namespace coslice {

class Cluster {
 public:
  explicit Cluster(const MachineSpec& spec) : spec_(spec), idle_(spec.nodes, true), idle_count_(spec.nodes) {}

  const MachineSpec& spec() const { return spec_; }
  const NodeSet& idle() const { return idle_; }
  std::int32_t idle_count() const { return idle_count_; }
  std::int32_t used_count() const { return spec_.nodes - idle_count_; }

  /// Takes the n idle nodes with the lowest numbers, exclusively. Precondition: n <= idle_count().
  NodeRanges occupy_lowest(std::int32_t n) {
    NodeRanges nodes = idle_.lowest(n);
    occupy(nodes);
    return nodes;
  }
  /// Takes these nodes exclusively. Precondition: all of them are idle.
  void occupy(const NodeRanges& nodes) {
    idle_.erase(nodes);
    idle_count_ -= nodes.count();
  }
  /// Gives the nodes back. Precondition: all of them are held.
  void vacate(const NodeRanges& nodes) {
    idle_.insert(nodes);
    idle_count_ += nodes.count();
  }

 private:
  MachineSpec spec_;
  NodeSet idle_;
  std::int32_t idle_count_;
};

}  // namespace coslice

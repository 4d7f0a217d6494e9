// What is left on each node of a heterogeneous machine, at one instant. A plain value: a what-if is a copy.
#pragma once

#include <cstdint>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "machine/layout.h"
#include "machine/node_room.h"
#include "machine/node_set.h"
#include "machine/request.h"

namespace coslice {

class NodePool {
 public:
  /// Makes a pool of nodes that are all empty. The layout outlives the pool.
  explicit NodePool(const MachineLayout& layout);

  const MachineLayout& layout() const { return *layout_; }
  const NodeRoom& room(NodeId n) const { return rooms_[static_cast<std::size_t>(n)]; }
  /// Returns a number that stands for what is left on n and what runs there: where two pools have the same number, both
  /// are the same. It is another one after each change, and never comes a second time.
  std::uint64_t stamp(NodeId n) const { return stamps_[static_cast<std::size_t>(n)]; }
  /// Returns the number of jobs on n that use GPUs.
  std::int32_t gpu_jobs(NodeId n) const;
  /// Returns how many jobs on n use as many GPUs as the request: like it whole ones, or a share of one.
  std::int32_t alike(const Request& r, NodeId n) const;
  /// Returns how many jobs use GPU g of n.
  std::int32_t jobs_on_gpu(NodeId n, std::size_t g) const { return on_gpu_[static_cast<std::size_t>(n)][g]; }
  std::int64_t licences_left(std::int32_t licence) const { return licences_[static_cast<std::size_t>(licence)]; }
  const std::vector<std::int64_t>& licences() const { return licences_; }
  /// Returns whether one node of the request fits on n beside what is there. Kind, features and partition are not
  /// looked at: they never change (eligibility.h).
  bool fits(const Request& r, NodeId n) const { return coslice::fits(r, room(n)); }
  /// Returns whether enough licences are left.
  bool has_licences(const Request& r) const {
    return std::ranges::all_of(r.licences,
                               [&](const LicenceUse& use) { return licences_left(use.licence) >= use.count; });
  }
  /// Takes the request's amounts on these nodes and the GPUs named there. Precondition: they fit.
  /// `again`: a running job has them already, on nodes that may have been closed since.
  void take(const Request& r, const Parts& parts, bool again = false);
  /// Gives the parts back. Precondition: they were taken.
  void give(const Request& r, const Parts& parts) {
    for (const NodePart& part : parts) change(r, part, -1);
    for (const LicenceUse& use : r.licences) licences_[static_cast<std::size_t>(use.licence)] += use.count;
  }
  /// Sets what is left, whatever it was.
  void set_room(NodeId n, const NodeRoom& room);
  /// Makes node n what it is in `from`, with all that is known of what runs on it. Precondition: both pools have the
  /// same layout.
  void copy_node(NodeId n, const NodePool& from);
  void set_licences(const std::vector<std::int64_t>& left) { licences_ = left; }

  /// Returns the nodes that changed, in order, some of them several times. Whoever keeps something by node reads on
  /// from where it was; when changes_begun() is another one, it has missed some.
  const std::vector<NodeId>& changes() const { return changes_; }
  std::uint64_t changes_begun() const { return changes_begun_; }

 private:
  void change(const Request& r, const NodePart& part, std::int32_t sign);
  void note(NodeId n);

  /// Number of jobs on a node that use `gpus` GPUs each.
  struct GpuJobs {
    std::int32_t gpus;  ///< 0: a share of one
    std::int32_t jobs;
  };
  void count_gpu_job(const Request& r, const NodePart& part, std::int32_t sign);

  const MachineLayout* layout_;
  std::vector<NodeRoom> rooms_;
  std::vector<std::uint64_t> stamps_;
  std::vector<boost::container::small_vector<GpuJobs, 2>> gpu_jobs_;
  std::vector<boost::container::small_vector<std::uint16_t, 8>> on_gpu_;  ///< jobs; empty where no node has GPUs
  std::vector<std::int64_t> licences_;
  std::vector<NodeId> changes_;
  std::uint64_t changes_begun_ = 0;
};

// On which nodes each request fits now, kept up to date: after a change, only the nodes that changed are looked at, and
// only for requests that are asked for.

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
    std::size_t read = 0;  ///< how many changes are taken into account
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

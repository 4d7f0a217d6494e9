// Where a policy lets a job start, by conditions instead of node numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/node_pool.h"
#include "machine/node_set.h"
#include "machine/placement.h"

namespace coslice {

// What may change what a placement is shown for jobs that start now without a reservation, e.g. because others make
// way.

class StartChoice {
 public:
  virtual ~StartChoice() = default;
  /// Chooses as Placement::choose does, and asks `placement` for it.
  virtual bool choose_by(Placement& placement, std::uint32_t job, const Request& request, const NodePool& pool,
                         const NodeSet& fitting, Parts& out) = 0;
};

/// All given conditions must hold.
struct StartDirective {
  /// A job that runs, and what it has.
  struct Host {
    Parts parts;
    GpuShare gpu_share = 0;  ///< of each of its GPUs
    bool operator==(const Host&) const = default;
  };
  /// A job that waits, and is to find room beside the one that starts.
  struct Guest {
    /// What it asks for, and the nodes that could serve it, by option (JobDemands); the first one is preferred.
    struct Option {
      const Request* request;
      const NodeSet* nodes;
      bool operator==(const Option&) const = default;
    };
    std::vector<Option> options;
    bool operator==(const Guest&) const = default;
  };

  std::int32_t kind = -1;       ///< of nodes; -1: any
  std::int32_t partition = -1;  ///< of those of the job, in which it starts (MachineLayout::partitions); -1: in any
  /// Whether the job gets GPUs of which no job has a share, without GPUs nodes without jobs; with `beside`: no job
  /// beyond those is or comes there.
  bool alone = false;
  std::vector<Host> beside{};  ///< on their nodes and GPUs only; empty: anywhere
  bool idle = false;  ///< with `beside`: where those are not enough, on what would be right for `alone` as well
  /// Jobs each of which fits there, too, one after the other: beside the job and no further one, or with `beside` and
  /// without `idle` beside the same jobs.
  std::vector<Guest> with{};
  NodeSet outside{};  ///< on none of these; of size 0: on any

  /// Returns whether a job may start in that partition.
  bool admits(std::int32_t p) const { return partition < 0 || partition == p; }
  /// Returns whether only `outside` and `partition` are said: of the other nodes it gets those that its placement
  /// would choose.
  bool by_placement() const { return kind < 0 && !alone && beside.empty() && with.empty(); }
  /// Returns those of the nodes that are not `outside`.
  NodeSet open(NodeSet nodes) const {
    if (outside.size() != 0) nodes -= outside;
    return nodes;
  }

  bool operator==(const StartDirective&) const = default;
};

/// Chooses the first of the nodes of `fitting` (as Placement::choose) that are such a place, and GPUs there; false if
/// there are not enough. Nodes of the jobs of `beside` come before others.
bool choose_at(const StartDirective& directive, const Request& request, const NodePool& pool, const NodeSet& fitting,
               Parts& out);

/// Chooses nodes by choose_at(). The directive outlives it.
class DirectedPlacement : public Placement {
 public:
  explicit DirectedPlacement(const StartDirective& directive) : directive_(directive) {}
  bool choose(std::uint32_t, const Request& request, const NodePool& pool, const NodeSet& fitting,
              Parts& out) override {
    return choose_at(directive_, request, pool, fitting, out);
  }

 private:
  const StartDirective& directive_;
};

}  // namespace coslice

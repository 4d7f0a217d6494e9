// Where a job goes: which of the nodes on which it fits it gets.
#pragma once

#include <cstdint>

#include "cluster/node_set.h"
#include "resources/node_pool.h"

namespace coslice {

class Placement {
 public:
  virtual ~Placement() = default;
  /// Chooses request.nodes different nodes of `fitting` for the job (by JobIndex), and the GPUs on each that it gets.
  /// On each node of `fitting` it fits by what is left in `pool`, and they are enough; they are those of one partition:
  /// partitions are tried in the job's order of preference. `pool` is what is left for as long as the job runs, which
  /// may be less than what is left now. False: the job is to have none of them; it waits.
  virtual bool choose(std::uint32_t job, const Request& request, const NodePool& pool, const NodeSet& fitting,
                      Parts& out) = 0;
  /// Whether it may say false, or leave out nodes on which the job fits. One that never does only ranks nodes: it says where
  /// jobs go, not when.
  virtual bool may_decline() const { return true; }
  /// A number that changes with what its choices depend on beside the pool: while it is the same, so are they.
  virtual std::uint64_t changes() const { return 0; }
};

/// The nodes with the lowest numbers, and their GPUs as fitting_gpus() says.
class FirstFit : public Placement {
 public:
  bool choose(std::uint32_t job, const Request& request, const NodePool& pool, const NodeSet& fitting,
              Parts& out) override;
  bool may_decline() const override { return false; }
};

/// What a simulation is told of a machine whose nodes differ, beside MachineSpec::layout. All outlive it.
struct ResourceOptions {
  const class RequestTable* requests = nullptr;  ///< of the workload; null: every job asks for whole nodes
  Placement* placement = nullptr;                ///< null: FirstFit
};

}  // namespace coslice

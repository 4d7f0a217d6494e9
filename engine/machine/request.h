// What a job asks for on a heterogeneous machine. Jobs that ask alike share one request (RequestTable).
#pragma once

#include <cstdint>
#include <vector>

#include "machine/layout.h"

namespace coslice {

/// Dense number of a request in its table; jobs without one ask for whole nodes by their size.
using RequestId = std::int32_t;
inline constexpr RequestId kNoRequest = -1;

/// Features a node must have: any of the alternatives, each a list of features that it must have or must not have.
struct FeatureTerm {
  std::vector<std::int32_t> with;  ///< into MachineLayout::features
  std::vector<std::int32_t> without;
  bool operator==(const FeatureTerm&) const = default;
};

struct LicenceUse {
  std::int32_t licence = 0;  ///< into MachineLayout::licences
  std::int64_t count = 0;
  bool operator==(const LicenceUse&) const = default;
};

/// Cores that nodes of a job need not have alike: of each it has as many as are left there, of multiples of `unit` from
/// Request::cores to `most` (core_spread.h).
struct CoreSpread {
  CoreShare most = 0;      ///< of a node; 0: all have Request::cores
  CoreShare unit = 0;      ///< at least one of these on each node
  CoreShare cores = 0;     ///< of all nodes together; 0: whatever they are
  std::int32_t nodes = 0;  ///< nodes at most, where `cores` says how many cores it has
  bool operator==(const CoreSpread&) const = default;
};

/// All amounts are for each node. One of several components (components.h) has none of its own but `nodes` and
/// `licences`, which are those of all components, and the partitions of the first one.
struct Request {
  std::int32_t nodes = 1;  ///< the fewest, where spread.cores says how many cores it has
  CoreShare cores = 0;
  std::int64_t memory_mib = 0;
  std::int32_t gpus = 0;                  ///< GPUs that it uses
  GpuShare gpu_share = kWholeGpu;         ///< of each of them
  std::vector<std::int32_t> gpu_types{};  ///< any of these; empty: any
  std::vector<FeatureTerm> features{};    ///< any of these; empty: none is asked for
  std::int32_t slice = 0;                 ///< parts of the GPU instance that it asks for (request_spec.h); 0: none
  std::int32_t slices = 0;                ///< parts that the whole GPU has
  bool exclusive = false;                 ///< no other job on its nodes, but where `rows` has more
  std::int32_t rows = 0;     ///< how many jobs may have a core of its nodes, or a whole one; up to 1: no other job
  std::int32_t row_of = -1;  ///< the partition whose jobs these are; -1: no job of the machine shares
  bool many_rows = false;    ///< some jobs of that partition share with one another
  bool numbered = false;     ///< its cores have numbers: some job of the run may have cores of others
  bool shares = false;       ///< it lets others have them, where its partition leaves it the choice
  /// Partitions, ascending, whose jobs' cores it may have where its partition says so (Partition::over), and those of
  /// them of other tiers, which come first.
  std::vector<std::int32_t> over{}, over_first{};
  std::vector<std::int32_t> under{};       ///< partitions, ascending, whose jobs may have its cores
  std::vector<std::int32_t> partitions{};  ///< any of these, the first is preferred; empty: the default ones
  std::vector<LicenceUse> licences{};      ///< in all, not for each node
  CoreSpread spread{};
  std::int32_t range_least = 0;       ///< the fewest of a range of nodes, of which `nodes` is one; 0: no range
  std::int32_t segment = 0;           ///< of how many nodes each part is that is to be in one block; 0: of all
  std::vector<Request> components{};  ///< start together, each on nodes of its own; empty: the request is one
  bool operator==(const Request&) const = default;
};

}  // namespace coslice

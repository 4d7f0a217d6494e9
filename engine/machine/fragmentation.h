// How much of a node's GPUs the jobs of a workload could not use, as it is now: its fragmentation for a mix of typical
// requests (Weng, Yang, Yu, Wang, Tang, Yang, Zhang: Beware of Fragmentation: Scheduling GPU-Sharing Workloads with
// Fragmentation Gradient Descent. USENIX ATC 2023, Section 3).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "machine/layout.h"
#include "machine/node_room.h"
#include "machine/request.h"

namespace coslice {

/// What many jobs of a workload ask of a node, and the share of them that do.
struct TypicalRequest {
  CoreShare cores = 0;
  std::int32_t gpus = 0;
  GpuShare gpu_share = 0;               ///< of each of them; 0 without GPUs
  std::vector<std::int32_t> gpu_types;  ///< any of these; empty: any
  double weight = 0;                    ///< all weights sum up to 1
};

/// A request, and how many jobs have it.
using CountedRequest = std::pair<const Request*, std::int64_t>;

/// Returns the most frequent requests that together are at least `share` of all. Frequent ones first, equally frequent
/// ones by cores, share of a GPU, GPUs and names of GPU types, descending. Memory, features and partitions do not
/// distinguish requests. Requests may come several times. Empty without jobs.
std::vector<TypicalRequest> typical_requests(const std::vector<CountedRequest>& requests, const MachineLayout& layout,
                                             double share = 0.95);

class Fragmentation {
 public:
  Fragmentation(const MachineLayout& layout, const std::vector<TypicalRequest>& mix);

  /// Returns thousandths of GPUs of a node of that kind that are left and that the mix cannot use there, on average
  /// over the mix: all that is left for a request that does not fit, or that asks for no GPU; else those GPUs of which
  /// too little is left.
  double of(std::int32_t kind, CoreShare cores, const GpuShare* gpus, std::int32_t count) const;
  double of(std::int32_t kind, const NodeRoom& room) const {
    return of(kind, room.cores, room.gpus.data(), static_cast<std::int32_t>(room.gpus.size()));
  }
  /// Returns what of() would return after this request has taken its part of the room on those GPUs (a bit for each).
  double after(std::int32_t kind, const NodeRoom& room, const Request& request, std::uint64_t gpus) const;

 private:
  /// A typical request on nodes of one GPU type.
  struct Wish {
    CoreShare cores;
    GpuShare share;
    std::int32_t gpus;
    bool admitted;  ///< its GPU types have this one
    double weight;
  };
  std::vector<std::vector<Wish>> by_type_;  ///< by GPU type + 1
  std::vector<std::int32_t> type_of_;       ///< by kind, into by_type_
};

}  // namespace coslice

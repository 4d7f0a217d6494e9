// What a record of a site says that a job asked for beyond its processes, in the site's names; and what that means on a
// machine whose nodes differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace coslice {

struct MachineSpec;
struct Workload;
struct TraceNodes;

/// Jobs on record alike share one. Amounts are for all nodes together.
struct RecordedRequest {
  std::int32_t nodes = 0;  ///< 0: not recorded
  std::int64_t cpus = 0;
  std::int64_t memory_kb = 0;  ///< 0: not recorded
  std::int64_t gpus = 0;
  std::vector<std::string> gpu_types;  ///< any of these; empty: any
  std::string features;                ///< an expression as Slurm has them: "ib&big"
  std::string partition;               ///< "": not recorded
  std::vector<std::pair<std::string, std::int64_t>> licences;
  /// Whether its nodes are its own, where that is on record. It has all their cores then, and the memory that it asked for.
  std::optional<bool> exclusive;
  bool allocated = false;  ///< the amounts are what it had: what it did not have of its nodes, others could have

  bool asks_for_more() const { return gpus > 0 || !features.empty() || !licences.empty(); }
};

struct RecordedRequestCounts {
  std::int64_t gpus_lost = 0;          ///< jobs that had GPUs; the machine's nodes are equal
  std::int64_t unknown_partition = 0;  ///< jobs whose partition the machine does not have: the default one is theirs
  std::int64_t unknown = 0;            ///< jobs with a GPU type, a feature or a licence that the machine does not have
  std::int64_t first_unknown = 0;      ///< the number of the first of them,
  std::string what;                    ///< and what it was
};

/// Turns these requests, to whose places the jobs point, into those of that machine. Amounts are spread evenly over a job's nodes, rounded up.
/// Names are those of the layout; of GPU types upper and lower case are the same. What the machine has no name for is left
/// out of the request. Jobs of which is not on record what they had get their nodes as `nodes` says. On a machine that names
/// no kinds jobs ask for no more than their processes.
RecordedRequestCounts resolve_recorded_requests(const std::vector<RecordedRequest>& recorded, Workload& workload,
                                                const MachineSpec& machine, const TraceNodes& nodes);

}  // namespace coslice

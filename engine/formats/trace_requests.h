// What jobs of a trace ask for on a heterogeneous machine. A trace says processes, a partition's number and memory for
// each process, and the rest follows from the machine; or a site has recorded what a job asked for beyond its
// processes, in names of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jobs/workload.h"
#include "machine/fragmentation.h"
#include "machine/layout.h"

namespace coslice {

/// Whether jobs of a trace have their nodes for themselves; else they have of each only the cores and the memory that
/// they ask for.
enum class Exclusive : std::uint8_t {
  kNo,
  kYes,     ///< but those of which the trace says what they had of their nodes
  kAlways,  ///< whatever the trace says of a job
};

/// What jobs of a trace have of their nodes.
struct TraceNodes {
  Exclusive exclusive = Exclusive::kYes;
  std::int32_t processes_per_node = 0;  ///< with a core each; 0: as many as the node has cores
  bool spread_tasks = false;            ///< tasks go where there is room, if a record says which job lets them
  bool whole_processors = false;        ///< a job has whole processors, one for each CPU that it asked for if there are
};

/// What becomes of jobs that can never run.
enum class Impossible : std::uint8_t {
  kLeftOut,
  kKept,  ///< such jobs come, and are rejected
};

/// What was found out on the way.
struct TraceRequestCounts {
  std::int64_t unknown_partition = 0;  ///< jobs whose partition the machine does not have: the default one is theirs
  std::int64_t too_large = 0;          ///< jobs that no partition of theirs can ever hold
  std::int64_t first_too_large = 0;    ///< the first of them
  std::string first_reason;            ///< why the first of them cannot be held
  std::int64_t partition_limits = 0;   ///< jobs without a limit that have their partition's default_time
};

/// Gives each job that has no request the one that follows from its size, partition and memory; jobs that can never run
/// are left out, unless they are to be kept. A partition is found by the name that the trace's header gives its number
/// ("Partition: 3 batch"), else by Partition::numbers. Processes go on as few nodes as hold them: those of the
/// partition's kind with the fewest cores. Where `default_limits`, a job without a limit gets its partition's
/// default_time, but not less than its run time.
TraceRequestCounts request_by_trace(Workload& workload, const MachineLayout& layout, TraceNodes nodes,
                                    Impossible impossible = Impossible::kLeftOut, bool default_limits = true);

/// Returns what jobs of a workload that have requests typically ask for.
std::vector<TypicalRequest> typical_of(const Workload& workload, const MachineLayout& layout);

/// Returns the request of a job of `processes` processes with a core each, in that partition (-1: the default one);
/// `kb` is memory for each process, -1 if not known.
Request request_of_size(std::int32_t processes, std::int64_t kb, std::int32_t partition, const MachineLayout& layout,
                        TraceNodes nodes);

/// How the tasks of a job may be spread over nodes.
struct RecordedSpread {
  std::int64_t task_cpus = 1;  ///< CPUs that are on one node
  std::int64_t most_cpus = 0;  ///< of a node; 0: any number
  std::int32_t fewest_nodes = 1, most_nodes = 1;
};

/// What a job says of its nodes beyond a number.
struct NodeWish {
  std::int32_t fewest = 0, most = 0;  ///< between how many it may have (sbatch -N 2-4); 0: as many as it had
  std::int32_t segment = 0;           ///< of how many each is to be in one block (--segment); 0: all
  bool empty() const { return fewest == 0 && segment == 0; }
};

/// What a record of a site says that a job asked for, in the site's names. Jobs on record alike share one. Amounts are
/// for all nodes together.
struct RecordedRequest {
  std::int32_t nodes = 0;  ///< 0: not recorded
  std::int64_t cpus = 0;
  std::int64_t asked_cpus = 0;  ///< CPUs that it asked for; 0: not recorded
  std::int64_t memory_kb = 0;   ///< 0: not recorded
  std::int64_t gpus = 0;
  std::vector<std::string> gpu_types;  ///< any of these; empty: any
  std::string features;                ///< an expression as Slurm has them: "ib&big"
  std::string partition;               ///< "": not recorded
  std::vector<std::pair<std::string, std::int64_t>> licences;
  /// Whether its nodes are its own, where that is recorded. It has all their cores then, and the memory that it asked
  /// for.
  std::optional<bool> exclusive;
  bool oversubscribe = false;  ///< the job lets others have its cores
  bool allocated = false;      ///< the amounts are what it had: what it did not have of its nodes, others could have
  std::optional<RecordedSpread> spread{};  ///< absent: its nodes have its CPUs alike
  NodeWish wish{};
  /// Of a job of several components: what each of them asked for. Then all else but `nodes`, `cpus`, `memory_kb`,
  /// `gpus` and `licences`, which are sums, is that of the first one.
  std::vector<RecordedRequest> components{};

  bool asks_for_more() const { return gpus > 0 || !features.empty() || !licences.empty() || !components.empty(); }
};

/// What was lost or not known of such requests on a machine.
struct RecordedRequestCounts {
  std::int64_t gpus_lost = 0;          ///< jobs that had GPUs; the machine's nodes are equal
  std::int64_t unknown_partition = 0;  ///< jobs whose partition the machine does not have: the default one is theirs
  std::int64_t unknown = 0;            ///< jobs with a GPU type, a feature or a licence that the machine does not have
  std::int64_t first_unknown = 0;      ///< the number of the first of them,
  std::string what;                    ///< and what it was
};

/// Turns these requests into those of that machine; a job's request is an index of these until then. Amounts are spread
/// evenly over a job's nodes, rounded up. Names are those of the layout; of GPU types upper and lower case are the
/// same. What the machine has no name for is left out of the request, and of the features "[a|b]" each node may have
/// another one. Jobs of which it is not recorded what they had get their nodes as `nodes` says. On a machine that names
/// no kinds jobs ask for no more than their processes.
RecordedRequestCounts resolve_recorded_requests(const std::vector<RecordedRequest>& recorded, Workload& workload,
                                                const MachineSpec& machine, const TraceNodes& nodes);

}  // namespace coslice
